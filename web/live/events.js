// Server-sent events from text that comes in pieces. feed(text) returns the data of every event that
// is complete. fetch() reads the stream, because EventSource cannot send a token.

const kMostEventChars = 32 << 20;  // a stream that never ends an event is not one

function event_reader() {
  let rest = "", data = [], size = 0;
  const take_line = (line, done) => {
    if (line === "") {
      if (data.length > 0) done.push(data.join("\n"));
      data = [];
      size = 0;
    } else if (line.startsWith("data:")) {
      data.push(line.slice(line[5] === " " ? 6 : 5));
      size += line.length;
    }
  };
  return (text) => {
    const lines = (rest + text).split("\n"), done = [];
    rest = lines.pop();
    for (const line of lines) take_line(line.endsWith("\r") ? line.slice(0, -1) : line, done);
    if (rest.length + size > kMostEventChars) throw new Error("an event is too long");
    return done;
  };
}
