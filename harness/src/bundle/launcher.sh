#
# An experiment for ablate with its programs. On the machine that measures:
#
#   sh THIS-FILE [OPTIONS]        the same as `ablate bench THIS-FILE [OPTIONS]`; --help lists the options
#
# Needs sh, tail, head and gzip. What follows the script is not text.
set -eu
bundle=$0
case $bundle in */*) ;; *) bundle=./$bundle ;; esac
program=$bundle.ablate
if ! tail -c +@BEGIN@ "$bundle" | head -c @BYTES@ | gzip -dc >"$program.$$"; then
    rm -f "$program.$$"
    echo "error: $bundle is damaged, or $program cannot be written; copy the bundle again" >&2
    exit 2
fi
chmod 755 "$program.$$"
mv -f "$program.$$" "$program"
exec "$program" bench "$bundle" "$@"
exit 2
