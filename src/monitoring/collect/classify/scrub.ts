import { isIPv6 } from 'node:net'
import type { PrivacyMode } from '../../../core/config/monitoring-settings.ts'
import { parseAddress, storedAddress } from './address.ts'

const hidden = '***'
const v4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/g
const v6 = /(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4})(?![\w:])/gi
const credentials = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@?#]{1,500}@/gi
const query =
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s?#"'<>]{1,2000}|(?<=[\s"'(])\/[^\s?#"'<>]{1,2000})\?[^\s"'<>)]{1,4000}/gi
const header =
  /\b(authorization|cookie|set-cookie|x-csrf-token|x-forwarded-for|forwarded)(["']?\s{0,3}[:=]\s{0,3})[^\r\n]{1,4000}/gi
const assignment =
  /\b(password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|signature)(["']?\s{0,3}[:=]\s{0,3})("[^"]{0,500}"|'[^']{0,500}'|[^\s,;&"'})]{1,500})/gi

/** Returns an exception text for operators, without secrets and with addresses reduced to the stored part. */
export function scrubText(text: string, privacy: PrivacyMode): string {
  const safe = text
    .replace(credentials, `$1${hidden}@`)
    .replace(query, `$1?${hidden}`)
    .replace(header, `$1$2${hidden}`)
    .replace(assignment, `$1$2${hidden}`)
  return privacy === 'full' ? safe : withoutAddresses(safe, privacy)
}

function withoutAddresses(text: string, privacy: PrivacyMode): string {
  const cut = (found: string): string => {
    const address = parseAddress(found)
    return address === undefined ? found : (storedAddress(address, privacy) ?? hidden)
  }
  return text.replace(v6, (found) => (isIPv6(found) ? cut(found) : found)).replace(v4, cut)
}

/** Removes one address from a client's text, such as a path. */
export function withoutAddress(text: string, address: string, kept: string | null): string {
  return text.includes(address) ? text.replaceAll(address, kept ?? hidden) : text
}

/** Returns a text that every database accepts: truncated, without NUL and without lone surrogates. */
export function boundedText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? text.slice(0, maxLength) : text
  const whole = short.isWellFormed() ? short : short.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}
