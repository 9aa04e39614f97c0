# one_version.sh SOURCE: files that repeat the version have that of include/asperity/version.h, and the Debian package of the shared
# libraries is named after their soname.
set -euo pipefail
cd "$1"
number() { sed -n "s/^#define ASP_VERSION_$1 //p" include/asperity/version.h; }
minor=$(number MAJOR).$(number MINOR)
version=$minor.$(number PATCH)
failures=0
expect() { # file, pattern
  grep -qE -- "$2" "$1" || { echo "$1 does not say: $2"; failures=1; }
}
expect debian/changelog "^asperity \\($version-"
expect debian/control "^Package: libasperity$minor\$"
[ -e "debian/libasperity$minor.install" ] || { echo "debian/libasperity$minor.install is missing"; failures=1; }
expect CITATION.cff "^version: $version\$"
expect packaging/conda-forge/meta.yaml "version = \"$version\""
expect packaging/vcpkg/vcpkg.json "\"version\": \"$version\""
expect packaging/homebrew/asperity.rb "version \"$version\""
expect web/package.json "\"version\": \"$version\""
exit $failures
