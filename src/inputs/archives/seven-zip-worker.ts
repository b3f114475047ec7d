import { closeSync, fstatSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { FSNode, FSStream } from '7z-wasm'
import sevenZip from '7z-wasm'
import { openGuardedSync } from '../../core/files/guarded-files.ts'

/** Replaceable functions of the program's file system, which the types of the package omit. */
interface OpenNode extends FSNode {
  node_ops: { getattr(node: FSNode): object }
  stream_ops: object
}
interface OpenStream extends FSStream {
  position: number
  stream_ops: object
}

const order = workerData as SevenZipOrder
const waiting = new Int32Array(order.waiting)
const printed: number[] = []
const outputBytes = 4096

function report(message: SevenZipReport, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** Sends a piece and waits while too many are unread. */
function give(bytes: Uint8Array<ArrayBuffer>): void {
  Atomics.add(waiting, 0, 1)
  report({ type: 'bytes', bytes }, [bytes.buffer])
  for (let count = Atomics.load(waiting, 0); count >= order.maxWaiting; count = Atomics.load(waiting, 0)) {
    Atomics.wait(waiting, 0, count)
  }
}

/** A WebAssembly memory; no used library declares this type. */
interface WasmMemory {
  buffer: ArrayBuffer
  grow(pages: number): number
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } }
const pageBytes = 1 << 16
let isMemoryShort = false

/** Only limits the memories of this worker: each thread has its own prototype. */
function limitMemory(maxBytes: number): void {
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  prototype.grow = function (pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes > maxBytes) {
      isMemoryShort = true
      throw new RangeError('The memory limit is reached')
    }
    return grow.call(this, pages)
  }
}

function bytesOf(heap: Int8Array, offset: number, length: number): Uint8Array {
  return new Uint8Array(heap.buffer, heap.byteOffset + offset, length)
}

/** Runs the program, which sees one read-only file and no other; its standard output goes to `give`. */
async function run(file: number, sizeBytes: number): Promise<number> {
  const program = await sevenZip.default({
    stdin: () => null as unknown as number,
    stdout: () => undefined,
    stderr: (character) => {
      if (printed.length < outputBytes) printed.push(character)
    },
  })
  const { FS } = program
  FS.close(FS.open(order.input, 'w'))
  const node = FS.lookupPath(order.input).node as OpenNode
  const { getattr } = node.node_ops
  node.node_ops = { ...node.node_ops, getattr: (of: FSNode) => ({ ...getattr(of), size: sizeBytes }) }
  node.stream_ops = {
    ...node.stream_ops,
    read: (_stream: OpenStream, heap: Int8Array, offset: number, length: number, position: number) =>
      readSync(file, bytesOf(heap, offset, length), 0, length, position),
    write: () => 0,
    llseek: (stream: OpenStream, offset: number, whence: number) =>
      offset + (whence === 1 ? stream.position : whence === 2 ? sizeBytes : 0),
  }
  const output = (FS as unknown as { streams: OpenStream[] }).streams[1]
  if (output === undefined) throw new Error('The program has no standard output')
  output.stream_ops = {
    ...output.stream_ops,
    write: (_stream: OpenStream, heap: Int8Array, offset: number, length: number) => {
      give(bytesOf(heap, offset, length).slice())
      return length
    },
  }
  return Number(program.callMain(order.args))
}

async function work(): Promise<void> {
  limitMemory(order.maxMemoryBytes)
  const file = openGuardedSync(order.path)
  try {
    const exitCode = await run(file, fstatSync(file).size)
    report({ type: 'ended', exitCode, printed: Buffer.from(printed).toString('utf8'), isMemoryShort })
  } finally {
    closeSync(file)
  }
}

await work()

/** Input of the worker. */
export interface SevenZipOrder {
  path: string
  /** File name of the archive for the program. */
  input: string
  args: string[]
  maxMemoryBytes: number
  /** Maximum number of unread pieces, and a counter of them. */
  maxWaiting: number
  waiting: SharedArrayBuffer
}

export interface SevenZipEnding {
  type: 'ended'
  exitCode: number
  /** Start of its standard error. */
  printed: string
  /** True if it requested more memory than permitted. */
  isMemoryShort: boolean
}

/** Output of the worker. */
export type SevenZipReport = { type: 'bytes'; bytes: Uint8Array<ArrayBuffer> } | SevenZipEnding
