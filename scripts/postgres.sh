#!/usr/bin/env bash
# A throwaway PostgreSQL on 127.0.0.1, for tests and trials: everything is in one folder.
#
#     scripts/postgres.sh start FOLDER PORT [NAME=VALUE...]   a new primary, with these settings
#     scripts/postgres.sh standby FOLDER PORT                 its synchronous standby, on another port
#     scripts/postgres.sh promote FOLDER                      the standby becomes the primary
#     scripts/postgres.sh guard FOLDER                        waits until the primary does not answer, and promotes
#     scripts/postgres.sh swap FOLDER                         after promote: the names change places; then standby
#     scripts/postgres.sh again FOLDER                        the primary once more, after it was killed
#     scripts/postgres.sh pid FOLDER primary|standby          the process of a server
#     scripts/postgres.sh stop FOLDER                         ends both at once; the folder stays
#     scripts/postgres.sh remove FOLDER                       the same, and the folder goes
#
# Connect as postgres://postgres@127.0.0.1:PORT/postgres, without a password. With REIN_WATCHED_PID=N
# in the environment, `start` sees to it that the servers and the folder go when process N has ended.
# PostgreSQL refuses to run as root: then all of it runs as the user postgres of Debian's package.
set -euo pipefail

usage() {
  sed -n '4,12s/^# *//p' "$0" >&2
  exit 2
}
[ $# -ge 2 ] || usage
verb=$1 folder=$(realpath -m "$2")
shift 2

bin=$(pg_config --bindir 2> /dev/null || true)
[ -x "$bin/initdb" ] || bin=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | sed -n '$p')
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb || echo none/initdb)")
if [ ! -x "$bin/initdb" ]; then
  echo "postgres.sh: there is no initdb (on Debian: apt-get install postgresql)" >&2
  exit 1
fi
as_owner() {
  if [ "$(id -u)" -eq 0 ]; then
    (cd / && runuser -u postgres -- "$@")
  else
    (cd / && "$@")
  fi
}

# The folder of a server. The names change places with each swap.
place() {  # place primary|standby
  if [ -f "$folder/swapped" ]; then
    case $1 in primary) echo standby ;; *) echo primary ;; esac
  else
    echo "$1"
  fi
}

started() {  # started PLACE: waits until the server takes connections
  as_owner "$bin/pg_ctl" -s -w -t 60 -D "$folder/$1" -l "$folder/$1.log" start > /dev/null ||
    { cat "$folder/$1.log" >&2; exit 1; }
}

settings() {  # settings PORT [NAME=VALUE...]
  echo "listen_addresses = '127.0.0.1'"
  echo "port = $1"
  echo "unix_socket_directories = ''"
  shift
  for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
}

stopped() {
  for name in primary standby; do
    [ ! -f "$folder/$name/postmaster.pid" ] ||
      as_owner "$bin/pg_ctl" -s -D "$folder/$name" -m immediate stop > /dev/null 2>&1 || true
  done
}

removed() {
  stopped
  rm -rf "$folder"
}

watch() {  # watch PID: in the background, holding nothing of the caller open
  trap "" HUP INT TERM  # timeout(1) ends the whole group of the test
  while kill -0 "$1" 2> /dev/null && [ -d "$folder" ]; do sleep 1; done
  removed
}

case $verb in
  start)
    [ $# -ge 1 ] || usage
    port=$1
    shift
    mkdir -p "$folder"
    [ "$(id -u)" -ne 0 ] || chown postgres "$folder"
    as_owner "$bin/initdb" -D "$folder/primary" -A trust -U postgres -E UTF8 --locale=C --no-sync \
      --no-instructions > "$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
    settings "$port" wal_level=replica max_wal_senders=5 shared_buffers=64MB max_connections=60 \
      wal_retrieve_retry_interval=200ms wal_receiver_status_interval=1s "$@" |
      as_owner tee -a "$folder/primary/postgresql.conf" > /dev/null
    echo "$port" > "$folder/port"
    if [ -n "${REIN_WATCHED_PID:-}" ]; then watch "$REIN_WATCHED_PID" < /dev/null > /dev/null 2>&1 & fi
    started primary
    ;;
  standby)
    [ $# -ge 1 ] || usage
    primary=(-h 127.0.0.1 -p "$(cat "$folder/port")" -U postgres)
    ask=("$bin/psql" -q "${primary[@]}" -d postgres -c)
    as_owner "${ask[@]}" "SELECT pg_create_physical_replication_slot('standby')" > /dev/null
    standby=$(place standby)
    as_owner "$bin/pg_basebackup" "${primary[@]}" -D "$folder/$standby" -R -X stream -S standby -c fast -N \
      -d "application_name=standby host=127.0.0.1 port=${primary[3]}"
    settings "$1" | as_owner tee -a "$folder/$standby/postgresql.conf" > /dev/null
    started "$standby"
    as_owner "${ask[@]}" "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
    as_owner "${ask[@]}" "SELECT pg_reload_conf()" > /dev/null
    for _ in $(seq 100); do
      state=$(as_owner "${ask[@]}" "COPY (SELECT sync_state FROM pg_stat_replication) TO STDOUT")
      [ "$state" != sync ] || exit 0
      sleep 0.1
    done
    echo "postgres.sh: the standby does not become synchronous" >&2
    exit 1
    ;;
  again)
    # A killed server leaves this file, and remains as a zombie where nobody takes it away.
    pid=$(sed -n 1p "$folder/$(place primary)/postmaster.pid")
    for _ in $(seq 100); do
      state=$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status" 2> /dev/null || true)
      case $state in "" | Z) break ;; esac
      sleep 0.1
    done
    rm -f "$folder/$(place primary)/postmaster.pid"
    started "$(place primary)"
    ;;
  guard)
    # Three misses, so that a server that is busy for a moment is left alone. One that hangs is ended before
    # the standby takes over: two primaries must never be.
    misses=0
    while [ "$misses" -lt 3 ]; do
      sleep 0.3
      if "$bin/pg_isready" -q -h 127.0.0.1 -p "$(cat "$folder/port")" -t 1; then misses=0; else misses=$((misses + 1)); fi
      [ -d "$folder" ] || exit 1
    done
    pid=$(sed -n 1p "$folder/$(place primary)/postmaster.pid")
    pkill -9 -P "$pid" || true
    kill -9 "$pid" 2> /dev/null || true
    as_owner "$bin/pg_ctl" -s -w -D "$folder/$(place standby)" promote > /dev/null
    ;;
  swap)
    port=$(sed -n 's/^port = //p' "$folder/$(place standby)/postgresql.conf" | tail -1)
    rm -rf "${folder:?}/$(place primary)"
    if [ -f "$folder/swapped" ]; then rm "$folder/swapped"; else touch "$folder/swapped"; fi
    echo "$port" > "$folder/port"
    ;;
  promote) as_owner "$bin/pg_ctl" -s -w -D "$folder/$(place standby)" promote > /dev/null ;;
  pid)
    [ $# -ge 1 ] || usage
    sed -n 1p "$folder/$(place "$1")/postmaster.pid"
    ;;
  stop) stopped ;;
  remove) removed ;;
  *) usage ;;
esac
