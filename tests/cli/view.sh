# asperity report and view: the page as a file, and served.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json

report_writes_one_page_beside_the_result() {
  gives 0 run --out r.h5 "$sphere"
  gives 0 report r.h5
  says stdout 'r.html written'
  says r.html 'class="asperity-data"'
  gives 0 report --json r.h5 -o other.html --every 2 --contacts 3
  json_is out other.html
  gives 2 report r.h5 -o r.h5
  says stderr r.h5
  gives 2 report r.h5 -o nowhere/r.html
  says stderr nowhere/r.html
  gives 2 report nothing.h5
  says stderr nothing.h5
  gives 2 report "$sphere"
  gives 2 report r.h5 --every 0
  says stderr '--every 0'
  gives 2 report r.h5 --contacts many
}

# start_view WORDS...: serves in the background; $server, $port and $token are set
start_view() {
  # shellcheck disable=SC2086 # the launcher is a list of words
  ${LAUNCHER:-} "$ASPERITY" view --json "$@" >served 2>served_stderr </dev/null &
  server=$!
  for _ in $(seq 300); do
    [ ! -s served ] || break
    sleep 0.1
  done
  cp served stdout
  port=$(json port)
  token=$(json url | grep -oE '[0-9a-f]{32}')
}

# ends with Ctrl-C, code 0, and nothing on stderr (a sanitizer would speak there)
end_view() {
  local code=0
  kill -TERM "$server"
  wait "$server" || code=$?
  cp served_stderr stderr
  [ "$code" -eq 0 ] || complain "view ended with $code"
  is_empty stderr
}

open_files() { find "/proc/$server/fd" 2>/dev/null | wc -l; }

view_withstands_a_thousand_hostile_requests() {
  echo 'the secret of this folder' >secret.txt
  gives 0 run --out r.h5 "$sphere"
  start_view r.h5
  "$HOSTILE_CLIENT" "$port" "$token" 20 'the secret' || complain 'the first hostile requests'
  sleep 2 # connections that are being drained end within a second
  local before
  before=$(open_files)
  "$HOSTILE_CLIENT" "$port" "$token" 1000 'the secret' || complain 'the hostile requests'
  sleep 2
  kill -0 "$server" || complain 'the server is gone'
  [ "$(open_files)" -le "$before" ] || complain "open files: $before before, $(open_files) after"
  end_view
}

view_says_what_is_wrong() {
  gives 0 run --out r.h5 "$sphere"
  gives 2 view nothing.h5
  says stderr nothing.h5
  gives 2 view r.h5 --port 70000
  says stderr '--port 70000'
  start_view r.h5
  gives 2 view r.h5 --port "$port"
  says stderr "port $port"
  end_view
}

# answer_of ROUTE: the status of the answer, over bash's own sockets
answer_of() {
  local status
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$token" "$1" "$port" >&3
  read -r _ status _ <&3
  exec 3<&- 3>&-
  echo "$status"
}

# browsers list answers of 4xx and 5xx as faults of the page, and a result that grows cannot be read at every instant
view_asks_for_patience_while_a_result_cannot_be_read() {
  gives 0 run --out r.h5 "$sphere"
  start_view r.h5
  [ "$(answer_of status)" = 200 ] || complain 'status of a result that is there'
  mv r.h5 away.h5
  head -c 1000 away.h5 >r.h5
  [ "$(answer_of status)" = 202 ] || complain 'status of a result that cannot be read'
  [ "$(answer_of data)" = 202 ] || complain 'data of a result that cannot be read'
  mv away.h5 r.h5
  [ "$(answer_of data)" = 200 ] || complain 'data of a result that is there again'
  end_view
}

gives_page() { asperity report --help >/dev/null && ! "$ASPERITY" report nothing.h5 2>&1 | grep -q 'without the viewer'; }
if ! gives_page; then
  echo 'skipped: the program was built without the viewer (npm install in web/ brings it)'
  exit 77
fi
prove report_writes_one_page_beside_the_result view_withstands_a_thousand_hostile_requests view_says_what_is_wrong \
  view_asks_for_patience_while_a_result_cannot_be_read
