
// The worker: the page sends the program once, then files and requests.
onmessage = async message => {
  const { kind } = message.data;
  if (kind === "program") {
    const go = new Go();
    go.run(await WebAssembly.instantiate(message.data.module, go.importObject)).catch(() => {}).then(() => postMessage({ kind: "error", text: "The program has ended; it may need more memory than the browser gives it. Take fewer rows or columns." }));
    return;
  }
  if (kind === "file") { stored.set(message.data.name, message.data.bytes); return; }
  (kind === "read" ? orthantRead : orthantAnalyse)(JSON.stringify(message.data.request));
};
