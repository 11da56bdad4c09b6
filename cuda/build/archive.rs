//! Compiling and archiving.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::depfile;
use crate::recipe::{FLAGS, Recipe};

/// The CPU's part; `util/all_gpus.cpp` is sppark's list of GPUs, taken into this archive so that the stamp covers it.
const HOST_SOURCES: [&str; 14] = [
    "b_g2.cpp",
    "coset.cpp",
    "device.cpp",
    "entry.cpp",
    "failure.cpp",
    "kernel_slot.cpp",
    "lane.cpp",
    "page_set.cpp",
    "pages.cpp",
    "partial_sums.cpp",
    "prove.cpp",
    "split.cpp",
    "srs.cpp",
    "windows.cpp",
];

/// The GPU's part. Each is compiled by itself: given two at once, cc would ask for relocatable GPU code, which is slower.
const GPU_SOURCES: [&str; 3] = ["msm_g1.cu", "msm_g2.cu", "quotient.cu"];

/// Compiles every source. Returns the objects, and all files that were read.
pub(crate) fn compile(recipe: &Recipe) -> Result<(Vec<PathBuf>, BTreeSet<PathBuf>), String> {
    let source = |name: &&str| recipe.package.join("src").join(name);
    let mut groups: Vec<Vec<PathBuf>> = GPU_SOURCES.iter().map(|name| vec![source(name)]).collect();
    let mut host: Vec<PathBuf> = HOST_SOURCES.iter().map(source).collect();
    host.push(recipe.root("sppark").join("util/all_gpus.cpp"));
    groups.push(host);

    // Groups side by side: the largest takes as long as all others.
    let results: Vec<Result<Vec<PathBuf>, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = groups.iter().map(|group| scope.spawn(|| compile_group(recipe, group))).collect();
        threads.into_iter().map(|thread| thread.join().expect("compiling does not panic")).collect()
    });
    let mut objects = Vec::new();
    for result in results {
        objects.extend(result?);
    }
    let mut sources = BTreeSet::new();
    for object in &objects {
        sources.extend(read_sources(&object.with_extension("d"))?);
    }
    remove_intermediates(&recipe.out_dir)?;
    Ok((objects, sources))
}

/// Preprocessed sources, which `-objtemp` leaves beside the objects: 16 MB.
fn remove_intermediates(folder: &Path) -> Result<(), String> {
    let list = fs::read_dir(folder).map_err(|error| format!("reading {}: {error}", folder.display()))?;
    let files = list.filter_map(Result::ok).map(|entry| entry.path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "ii"))
        .try_for_each(|path| fs::remove_file(&path).map_err(|error| format!("removing {}: {error}", path.display())))
}

/// All sources and headers of this package, also those that nothing reads yet.
pub(crate) fn own_files(recipe: &Recipe) -> Result<BTreeSet<PathBuf>, String> {
    let mut files = BTreeSet::new();
    for folder in [recipe.package.join("src"), recipe.package.join("include")] {
        let list = fs::read_dir(&folder).map_err(|error| format!("reading {}: {error}", folder.display()))?;
        files.extend(list.filter_map(Result::ok).map(|entry| entry.path()));
    }
    files.retain(|path| path.extension().is_some_and(|end| end != "rs"));
    Ok(files)
}

fn compile_group(recipe: &Recipe, sources: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut build = nvcc(recipe);
    build.files(sources);
    build.try_compile_intermediates().map_err(|error| error.to_string())
}

/// cc as a caller of this nvcc, with nothing taken from the profile. Given a compiler by path, cc does not know it for nvcc, so
/// that its own flags for warnings would be refused; without them it silences all.
fn nvcc(recipe: &Recipe) -> cc::Build {
    let mut build = cc::Build::new();
    build.cuda(true).cargo_metadata(false).compiler(&recipe.toolkit.nvcc.path);
    build.no_default_flags(true).inherit_rustflags(false).warnings(false).debug(false);
    // Objects of sppark's sources are named by where they lie in it, too.
    build.source_root(recipe.root("sppark"));
    build.flag(format!("-ccbin={}", recipe.host.program.path.display())).flags(FLAGS).flag("-MD");
    build.include(recipe.package.join("include")).include(recipe.root("sppark")).include(recipe.root("blst"));
    for name in &recipe.defines {
        build.define(name, None);
    }
    for value in recipe.gencode() {
        build.flag("-gencode").flag(value);
    }
    for root in &recipe.roots {
        build.flag("-Xcompiler").flag(format!("-ffile-prefix-map={}={}", root.folder.display(), root.name));
    }
    build
}

/// The files that a list of prerequisites names: sources, and headers of everybody, the host compiler and the C library
/// included.
fn read_sources(list: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let text = fs::read_to_string(list).map_err(|error| format!("reading {}: {error}", list.display()))?;
    let canonical = |path: PathBuf| {
        path.canonicalize().map_err(|error| format!("{} names {}: {error}", list.display(), path.display()))
    };
    depfile::prerequisites(&text).into_iter().map(canonical).collect()
}

/// Adds the stamp as a member of its own, makes the archive and tells cargo to link it.
pub(crate) fn finish(recipe: &Recipe, objects: Vec<PathBuf>, stamp: &str) -> Result<(), String> {
    let source = recipe.out_dir.join("stamp.c");
    // `retain` keeps the section in an executable whose linker drops what nothing refers to.
    let text = format!(
        "__attribute__((section(\".ablate.stamp\"), used, retain))\nconst char groth16_cuda_stamp[65] = \"{stamp}\";\n"
    );
    fs::write(&source, text).map_err(|error| format!("writing {}: {error}", source.display()))?;
    let mut build = cc::Build::new();
    build.cargo_metadata(false).no_default_flags(true).inherit_rustflags(false).debug(false);
    build.flags(["-O1", "-fPIC"]).file(&source).objects(objects);
    build.try_compile("groth16_cuda").map_err(|error| error.to_string())?;

    println!("cargo::rustc-link-search=native={}", recipe.out_dir.display());
    println!("cargo::rustc-link-lib=static=groth16_cuda");
    println!("cargo::rustc-link-search=native={}", recipe.toolkit.libraries()?.display());
    for library in ["static=cudart_static", "dylib=stdc++", "dylib=dl", "dylib=pthread", "dylib=rt"] {
        println!("cargo::rustc-link-lib={library}");
    }
    Ok(())
}
