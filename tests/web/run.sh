# run.sh NAME.test.mjs: the test in a folder of its own; 77 when something it needs is missing.
set -u
skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}
command -v node >/dev/null || skip 'node is missing (./quickstart test installs it)'
[ -d "$SOURCE/web/node_modules/playwright-core" ] || skip 'web/node_modules is missing: npm install in web/'
case $(basename "$1") in
exports.*) ;; # needs no browser
wasm.*) [ -e "${WASM:-}" ] || skip 'asperity.wasm was not built: clang, lld or wasi-libc is missing (./quickstart test installs them)' ;;
*)
  case $(basename "$1") in playground.*) [ -e "${WASM:-}" ] || skip 'no playground: clang, lld or wasi-libc is missing (./quickstart test installs them)' ;; esac
  [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || skip 'chromium is missing (./quickstart test installs it)'
  ;;
esac
rm -rf "${WORK:?}"
mkdir -p "$WORK"
cd "$WORK" && exec node --test --test-reporter=spec "$1"
