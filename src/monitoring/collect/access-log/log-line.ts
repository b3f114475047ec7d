import { isUtf8 } from 'node:buffer'
import { ownValue } from '../../../core/values/record-keys.ts'
import { parseLogTime } from './log-time.ts'
import { parseResponseTime } from './response-time.ts'

const longestRest = 1000
const field = /(?:^| )ct=(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?= |$)/

/**
 * Extracts the content type from the text after the user agent: `ct="text/xml; charset=UTF-8"` or
 * `ct=text/xml` at any position. Returns the remaining text too; the content type is null if missing or `-`.
 */
function takeContentType(rest: string): { contentType: string | null; rest: string } {
  const found = rest.length > longestRest ? null : field.exec(rest)
  if (found === null) return { contentType: null, rest }
  const text = (found[1] ?? found[2] ?? '').trim()
  return {
    contentType: text === '' || text === '-' ? null : text,
    rest: rest.slice(0, found.index) + rest.slice(found.index + found[0].length),
  }
}

/** A request from one line of an access log; texts are unescaped and contain no control characters. */
export interface LogLine {
  /** Milliseconds since 1970. */
  created: number
  /** Client address or host name, as written. */
  client: string
  /** Login name; null for anonymous requests. */
  user: string | null
  /** Virtual host at the start of the line, without port; null if the format does not contain it. */
  host: string | null
  /** Empty if the request line is not valid HTTP. */
  method: string
  /** Path without the query; empty if the request line is not valid HTTP. */
  path: string
  /** Without the question mark. */
  query: string
  /** 0 if the server logged none. */
  status: number
  sizeBytes: number
  milliseconds: number | null
  contentType: string | null
  referer: string | null
  userAgent: string | null
}

/** Why a line is not counted. */
export type LineFault =
  | 'longer than 64 KiB'
  | 'no access log line in combined or common format'
  | 'no date such as 10/Oct/2025:13:55:36 +0200'
  | 'in the future'
  | 'before the year 2000'

const notALine: LineFault = 'no access log line in combined or common format'
/** Length of the time field before the request: `[10/Oct/2025:13:55:36 +0200] `. */
const timeLength = 26
const earliest = Date.UTC(2000, 0, 1)

const space = 0x20
const quote = 0x22
const dash = 0x2d
const backslash = 0x5c

/** Parses single lines of NCSA's combined and common log formats, byte by byte. */
export class LogLineParser {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0

  /** Parses the line in `bytes[start, end)`; returns the fault if the line is invalid. */
  parse(bytes: Buffer, start: number, end: number): LogLine | LineFault {
    this.#bytes = bytes
    this.#end = end
    const opening = this.#find(quote, start)
    const timeStart = opening - timeLength - 2
    if (timeStart <= start || bytes[timeStart - 1] !== 0x5b || bytes[timeStart - 2] !== space) return notALine
    if (bytes[opening - 1] !== space || bytes[opening - 2] !== 0x5d) return notALine
    const created = parseLogTime(bytes, timeStart)
    if (Number.isNaN(created)) return 'no date such as 10/Oct/2025:13:55:36 +0200'
    if (created < earliest) return 'before the year 2000'
    this.#at = opening - 1
    const request = this.#quoted()
    const status = this.#number(3)
    const sizeBytes = this.#number(15)
    if (request === null || status === null || sizeBytes === null) return notALine
    return this.#finish(start, timeStart - 2, { created, request, status, sizeBytes })
  }

  #finish(
    start: number,
    timeEnd: number,
    part: { created: number; request: string; status: number; sizeBytes: number },
  ): LogLine | LineFault {
    const who = this.#who(start, timeEnd)
    if (who === null) return notALine
    const referer = this.#isAtQuoted() ? this.#quoted() : null
    const userAgent = referer !== null && this.#isAtQuoted() ? this.#quoted() : null
    const { contentType, rest } = takeContentType(this.#bytes.toString('latin1', this.#at, this.#end))
    const { created, request, status, sizeBytes } = part
    return {
      created,
      ...who,
      ...splitRequest(request),
      status,
      sizeBytes,
      milliseconds: parseResponseTime(rest),
      contentType,
      referer: reported(referer),
      userAgent: reported(userAgent),
    }
  }

  /** Reads `[host[:port] ]client ident user`; the user name may contain blanks. */
  #who(start: number, end: number): Pick<LogLine, 'client' | 'user' | 'host'> | null {
    const first = this.#find(space, start)
    const second = this.#find(space, first + 1)
    if (first <= start || second <= first || second > end) return null
    const hasHost = !isAddress(this.#bytes, start, first) && isAddress(this.#bytes, first + 1, second)
    const clientStart = hasHost ? first + 1 : start
    const clientEnd = hasHost ? second : first
    const userStart = hasHost ? this.#find(space, second + 1) + 1 : second + 1
    if (userStart === 0 || userStart >= end) return null
    const user = this.#text(userStart, end)
    return {
      client: this.#text(clientStart, clientEnd),
      user: user === '-' ? null : user,
      host: hasHost ? this.#text(start, first).replace(/:\d{1,5}$/, '') : null,
    }
  }

  /** True if a space and a quote follow. */
  #isAtQuoted(): boolean {
    return this.#bytes[this.#at] === space && this.#at + 1 < this.#end && this.#bytes[this.#at + 1] === quote
  }

  /** Reads the quoted text after the next space and advances past it. Null if the quote is not closed. */
  #quoted(): string | null {
    const start = this.#at + 2
    return this.#passQuoted() ? this.#text(start, this.#at - 1) : null
  }

  #passQuoted(): boolean {
    const bytes = this.#bytes
    let at = this.#at + 2
    while (at < this.#end && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    if (at >= this.#end) return false
    this.#at = at + 1
    return true
  }

  /** Reads a space and a number of at most this many digits; `-` counts as 0. */
  #number(maxDigits: number): number | null {
    const bytes = this.#bytes
    const start = this.#at + 1
    if (bytes[this.#at] !== space || start >= this.#end) return null
    let at = start
    let value = 0
    if (bytes[at] === dash) at += 1
    else {
      for (; at < this.#end; at += 1) {
        const digit = (bytes[at] as number) - 0x30
        if (digit < 0 || digit > 9) break
        value = value * 10 + digit
      }
      if (at === start || at - start > maxDigits) return null
    }
    this.#at = at
    return at === this.#end || bytes[at] === space ? value : null
  }

  #find(byte: number, from: number): number {
    const bytes = this.#bytes
    for (let at = from; at < this.#end; at += 1) if (bytes[at] === byte) return at
    return -1
  }

  #text(start: number, end: number): string {
    const bytes = this.#bytes
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number
      if (byte < space || byte > 0x7e || byte === backslash) return unescaped(bytes, start, end)
    }
    return bytes.toString('latin1', start, end)
  }
}

/** Returns null for a dash, which logs write for missing values. */
function reported(text: string | null): string | null {
  return text === '-' || text === '' ? null : text
}

/** True if the bytes look like an IPv4 or IPv6 address; host names have other letters or no colon. */
function isAddress(bytes: Buffer, start: number, end: number): boolean {
  let hasColon = false
  let hasLetter = false
  let dots = 0
  let colons = 0
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number
    if (byte === 0x2e) dots += 1
    else if (byte === 0x3a) {
      hasColon = true
      colons += 1
    } else if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) hasLetter = true
    else if (byte < 0x30 || byte > 0x39) return false
  }
  return hasColon ? colons > 1 : dots === 3 && !hasLetter
}

const escapes: Record<string, number> = { '"': quote, '\\': backslash, t: space, n: space, r: space }

/** Unescapes `\xHH` of nginx and Apache, and `\"` and `\\` of Apache. Control characters become blanks. */
function unescaped(bytes: Buffer, start: number, end: number): string {
  const out = Buffer.alloc(end - start)
  let length = 0
  for (let at = start; at < end; at += 1) {
    let byte = bytes[at] as number
    if (byte === backslash && at + 1 < end) {
      const letter = String.fromCharCode(bytes[at + 1] as number)
      const code =
        letter === 'x'
          ? Number.parseInt(bytes.toString('latin1', at + 2, Math.min(at + 4, end)), 16)
          : Number.NaN
      if (!Number.isNaN(code)) {
        byte = code
        at += 3
      } else if (Object.hasOwn(escapes, letter)) {
        byte = ownValue(escapes, letter) ?? backslash
        at += 1
      }
    }
    out[length] = byte < space || byte === 0x7f ? space : byte
    length += 1
  }
  const text = out.subarray(0, length)
  return isUtf8(text) ? text.toString('utf8') : text.toString('latin1')
}

const noRequest = { method: '', path: '', query: '' }

/**
 * Splits a request line such as `GET /path?query HTTP/1.1`. The target may contain blanks, since servers log
 * requests as received.
 */
function splitRequest(request: string): Pick<LogLine, 'method' | 'path' | 'query'> {
  const methodEnd = request.indexOf(' ')
  if (methodEnd < 1 || methodEnd > 20 || !/^[A-Za-z-]+$/.test(request.slice(0, methodEnd))) return noRequest
  const protocol = request.lastIndexOf(' HTTP/')
  const target = pathOf(request.slice(methodEnd + 1, protocol > methodEnd ? protocol : undefined))
  if (target === null) return noRequest
  const mark = target.indexOf('?')
  return {
    method: request.slice(0, methodEnd).toUpperCase(),
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
  }
}

/** Returns the target from its path on, also of an absolute target with scheme and host. */
function pathOf(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target
  const host = /^https?:\/\/[^/?#]*/i.exec(target)
  if (host === null) return null
  const rest = target.slice(host[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
