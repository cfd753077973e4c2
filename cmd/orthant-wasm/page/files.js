"use strict";
// Files in memory, in place of those that a browser does not have: Go's os package calls these functions.
const stored = new Map(), opened = new Map();
let nextFile = 10;
const enoent = () => Object.assign(new Error("no such file"), { code: "ENOENT" });
const enosys = () => Object.assign(new Error("not in a browser"), { code: "ENOSYS" });
const status = data => ({ dev: 1, ino: 1, mode: 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size: data.length, blksize: 4096, blocks: Math.ceil(data.length / 512), atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => false });
const refuse = (...args) => args[args.length - 1](enosys());
const lines = new TextDecoder();
let line = "";
globalThis.fs = {
  constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536 },
  writeSync(file, bytes) { // what Go prints, such as the reason of its end
    line += lines.decode(bytes);
    const end = line.lastIndexOf("\n");
    if (end >= 0) { console.log(line.slice(0, end)); line = line.slice(end + 1); }
    return bytes.length;
  },
  write(file, bytes, offset, length, position, done) { done(null, this.writeSync(file, bytes.subarray(offset, offset + length))); },
  open(name, flags, mode, done) {
    const data = stored.get(name);
    if (!data) return done(enoent());
    opened.set(nextFile, { data, at: 0 });
    done(null, nextFile++);
  },
  close(file, done) { opened.delete(file); done(null); },
  fstat(file, done) { const f = opened.get(file); f ? done(null, status(f.data)) : done(enosys()); },
  stat(name, done) { const data = stored.get(name); data ? done(null, status(data)) : done(enoent()); },
  lstat(name, done) { this.stat(name, done); },
  read(file, bytes, offset, length, position, done) {
    const f = opened.get(file);
    if (!f) return done(enosys());
    const from = position === null ? f.at : position, part = f.data.subarray(from, Math.min(f.data.length, from + length));
    bytes.set(part, offset);
    if (position === null) f.at += part.length;
    done(null, part.length);
  },
  fsync(file, done) { done(null); },
  chmod: refuse, chown: refuse, fchmod: refuse, fchown: refuse, ftruncate: refuse, lchown: refuse, link: refuse, mkdir: refuse, readdir: refuse,
  readlink: refuse, rename: refuse, rmdir: refuse, symlink: refuse, truncate: refuse, unlink: refuse, utimes: refuse,
};
globalThis.path ||= { resolve: (...parts) => parts.join("/") };
