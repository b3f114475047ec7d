import { runProgram } from '../../src/core/process/process.ts'
import { findTextEncoding } from '../../src/core/text/text-encoding.ts'

/** A decoder that tells which byte sequences it refuses. */
export interface ReferenceDecoder {
  program: 'iconv' | 'python'
  encoding: string
}

/** The text of each sequence by another program; null where that refuses the sequence. */
export async function decodedBy(
  { program, encoding }: ReferenceDecoder,
  sequences: readonly Uint8Array[],
): Promise<(string | null)[]> {
  const request = {
    program,
    encoding,
    sequences: sequences.map((bytes) => Buffer.from(bytes).toString('hex')),
  }
  const script = new URL('text-decoders.py', import.meta.url).pathname
  const { stdout } = await runProgram('/usr/bin/python3', [script], { stdin: JSON.stringify(request) })
  return JSON.parse(stdout.toString()) as (string | null)[]
}

/** The text of a sequence as readers of files get it; null where the sequence is refused. */
export function decodedHere(name: string, bytes: Uint8Array): string | null {
  const target = new Uint8Array(bytes.length * 3 + 2)
  const length = findTextEncoding(name)?.transcode(bytes, 0, bytes.length, target, 0) ?? -1
  return length < 0 ? null : Buffer.from(target.subarray(0, length)).toString('utf8')
}
