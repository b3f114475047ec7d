import { openGuarded } from '../../core/files/guarded-files.ts'
import { findTextEncoding } from '../../core/text/text-encoding.ts'
import { asciiText } from '../../core/values/decimal.ts'
import type { ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import type { Charset } from '../text/charset.ts'
import { declaredCharset, findCharset } from '../text/charset.ts'

const headBytes = 4096
const declaration = /^<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([\w.:-]{1,40})["']/

/**
 * Returns the encoding of an XML file (XML 1.0, section 4.3.3 and appendix F): as requested, by its byte
 * order mark, or as declared; otherwise UTF-8, or Windows-1252 if the bytes are not valid UTF-8.
 */
export async function findXmlCharset(path: string, context: ReadContext): Promise<Charset> {
  if (context.charset !== undefined) return findCharset(path, context)
  const head = await readHead(path)
  const marked = declaredCharset(head)
  if (marked !== undefined) return { name: marked }
  const name = declaration.exec(asciiText(head, 0, head.length))?.[1]
  if (name === undefined) return findCharset(path, context)
  const encoding = findTextEncoding(name)
  if (encoding === undefined) {
    const message = `The text encoding "${name}", which the file declares, is not known: set the charset`
    throw new FormatError(message, { code: 'unknown-charset' })
  }
  // Bytes without NUL are not UTF-16, even if declared so.
  return { name: encoding.name.startsWith('UTF-16') ? 'UTF-8' : encoding.name }
}

async function readHead(path: string): Promise<Uint8Array> {
  const handle = await openGuarded(path)
  try {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
