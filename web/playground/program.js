// The library as WebAssembly: playground.cc, with its numbers. It reads no file and no clock and opens no connection,
// so what it imports from the system may do nothing.

function system_calls(module, memory) {
  const calls = {}, view = () => new DataView(memory().buffer);
  for (const {module: from, name} of WebAssembly.Module.imports(module)) {
    (calls[from] ??= {})[name] = {
      proc_exit: (code) => { throw new Error(`the program ended (${code})`); },
      environ_sizes_get: (count, bytes) => { view().setUint32(count, 0, true); view().setUint32(bytes, 0, true); return 0; },
      environ_get: () => 0,
      fd_write: (file, parts, number, written) => { view().setUint32(written, 0, true); return 0; },
    }[name] ?? (() => 8);  // no such file
  }
  return calls;
}

// Bytes of the program, from the text in which program.js has them.
const bytes_of = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

async function load_program(base64) {
  const module = await WebAssembly.compile(bytes_of(base64));
  let memory = null;
  const {exports} = await WebAssembly.instantiate(module, system_calls(module, () => memory));
  memory = exports.memory;
  exports._initialize?.();
  const put = (text) => {
    const bytes = new TextEncoder().encode(text), at = exports.rein_text(bytes.length);
    new Uint8Array(memory.buffer).set(bytes, at);
    return at;
  };
  const text_at = (at) => {
    const all = new Uint8Array(memory.buffer);
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  };
  let policies = 0;
  return {
    begin(world, specs, seed, rounds, delay) {
      policies = exports.rein_begin(put(world), put(specs.join("\n")), seed, rounds, delay);
      if (policies < 0) throw new Error(text_at(exports.rein_why()));
    },
    budget: () => exports.rein_budget(),
    // [[reward, spent, price] of each policy] after so many more rounds.
    step(rounds) {
      const at = exports.rein_step(rounds);  // may make the memory grow, which is a new buffer then
      const numbers = new Float64Array(memory.buffer, at, 3 * policies);
      return Array.from({length: policies}, (_, i) => Array.from(numbers.subarray(3 * i, 3 * i + 3)));
    },
  };
}

// The bits of a number, as web/playground/native.cc prints them.
function bits_of(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}
