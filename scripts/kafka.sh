#!/usr/bin/env bash
# A throwaway Kafka of three brokers on 127.0.0.1, for tests and trials: everything is in one folder.
#
#     scripts/kafka.sh jars FOLDER                          Kafka itself, from Maven Central (46 files, 45 MB)
#     scripts/kafka.sh start FOLDER PORT [NAME=VALUE...]    brokers 1, 2, 3 on PORT, PORT + 1, PORT + 2
#     scripts/kafka.sh again FOLDER BROKER                  a broker once more, after it was killed
#     scripts/kafka.sh pid FOLDER BROKER                    its process
#     scripts/kafka.sh stop FOLDER                          ends all at once; the folder stays
#     scripts/kafka.sh remove FOLDER                        the same, and the folder goes
#
# Connect as kafka://127.0.0.1:PORT,127.0.0.1:PORT+1/NAME. The controllers use PORT + 3 to PORT + 5. With
# REIN_KAFKA_JARS=FOLDER in the environment the jars are there already, or are fetched to there. With
# REIN_WATCHED_PID=N, `start` sees to it that brokers and folder go when process N has ended.
set -euo pipefail

kafka=4.3.1 log4j=2.25.4
usage() {
  sed -n '4,9s/^# *//p' "$0" >&2
  exit 2
}
[ $# -ge 2 ] || usage
verb=$1 folder=$(realpath -m "$2")
shift 2
jars=${REIN_KAFKA_JARS:-$folder/jars}

fetched() {  # fetched FOLDER: the jars are there
  [ ! -f "$1/complete" ] || return 0
  command -v mvn > /dev/null || { echo "kafka.sh: there is no mvn (on Debian: apt-get install maven)" >&2; exit 1; }
  mkdir -p "$1"
  cat > "$1/pom.xml" << POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>rein</groupId><artifactId>kafka</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$kafka</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>$log4j</version></dependency>
  </dependencies>
</project>
POM
  mvn -B -q -f "$1/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$1" >&2
  touch "$1/complete"
}

java_of() {  # java_of MEMORY CLASS ARGUMENTS...: takes the place of the shell that calls it, so $! is its process
  local memory=$1
  shift
  exec java "-Xmx$memory" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.level=INFO -cp "$jars/*" "$@"
}

properties() {  # properties BROKER PORT [NAME=VALUE...]
  local broker=$1 port=$2
  shift 2
  cat << PROPERTIES
process.roles=broker,controller
node.id=$broker
controller.quorum.voters=1@127.0.0.1:$((port + 3)),2@127.0.0.1:$((port + 4)),3@127.0.0.1:$((port + 5))
listeners=PLAINTEXT://127.0.0.1:$((port + broker - 1)),CONTROLLER://127.0.0.1:$((port + broker + 2))
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=$folder/$broker/data
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
share.coordinator.state.topic.replication.factor=3
unclean.leader.election.enable=false
auto.create.topics.enable=false
PROPERTIES
  printf '%s\n' "$@"
}

launched() {  # launched BROKER: in the background, holding nothing of the caller open
  java_of 320m kafka.Kafka "$folder/$1/properties" >> "$folder/$1/log" 2>&1 < /dev/null &
  echo $! > "$folder/$1/pid"
}

serving() {  # serving BROKER: waits until it takes requests
  for _ in $(seq 600); do
    ! grep -q 'Kafka Server started' "$folder/$1/log" || return 0
    kill -0 "$(cat "$folder/$1/pid")" 2> /dev/null || break
    sleep 0.1
  done
  echo "kafka.sh: broker $1 does not start:" >&2
  tail -n 20 "$folder/$1/log" >&2
  exit 1
}

stopped() {
  for broker in 1 2 3; do
    [ ! -f "$folder/$broker/pid" ] || kill -9 "$(cat "$folder/$broker/pid")" 2> /dev/null || true
  done
}

removed() {
  stopped
  rm -rf "$folder"
}

watch() {  # watch PID
  trap "" HUP INT TERM  # timeout(1) ends the whole group of the test
  while kill -0 "$1" 2> /dev/null && [ -d "$folder" ]; do sleep 1; done
  removed
}

case $verb in
  jars)
    jars=$folder
    fetched "$jars"
    ;;
  start)
    [ $# -ge 1 ] || usage
    port=$1
    shift
    mkdir -p "$folder"
    if [ -n "${REIN_WATCHED_PID:-}" ]; then watch "$REIN_WATCHED_PID" < /dev/null > /dev/null 2>&1 & fi
    fetched "$jars"
    cluster=$(head -c 16 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=')
    for broker in 1 2 3; do
      mkdir -p "$folder/$broker"
      properties "$broker" "$port" "$@" > "$folder/$broker/properties"
      (java_of 128m kafka.tools.StorageTool format -t "$cluster" -c "$folder/$broker/properties") \
        > "$folder/$broker/format" 2>&1 || { cat "$folder/$broker/format" >&2; exit 1; }
      launched "$broker"
    done
    for broker in 1 2 3; do serving "$broker"; done
    ;;
  again)
    [ $# -ge 1 ] || usage
    mv "$folder/$1/log" "$folder/$1/log.before"
    launched "$1"
    serving "$1"
    ;;
  pid)
    [ $# -ge 1 ] || usage
    cat "$folder/$1/pid"
    ;;
  stop) stopped ;;
  remove) removed ;;
  *) usage ;;
esac
