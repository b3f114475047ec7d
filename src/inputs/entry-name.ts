import { isSkippedName } from './scan.ts'

const controlCharacters = /\p{Cc}/u
/** Devices on Windows, with any extension. */
const deviceName = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)/i
const maxSegmentBytes = 255
const maxNameBytes = 1000

/** Returns what is wrong with the name of an entry of an archive or upload, or undefined. */
export function findNameFault(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (controlCharacters.test(name)) return 'it contains a control character'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'it is an absolute path'
  const segments = name.split('/')
  if (segments.includes('..')) return 'it leads out of its folder'
  if (segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes)) {
    return `it is longer than ${maxSegmentBytes} bytes`
  }
  if (Buffer.byteLength(name) > maxNameBytes) return `its path is longer than ${maxNameBytes} bytes`
  if (segments.some((segment) => deviceName.test(segment))) return 'it is the name of a device on Windows'
  return undefined
}

/** Returns the name with forward slashes and without empty or `.` segments. */
export function cleanEntryName(name: string): string {
  return name
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment, index) => segment !== '.' && (index === 0 || segment !== ''))
    .join('/')
}

/** True for entries that imports ignore. */
export function isSkippedEntry(name: string): boolean {
  return name.split('/').some(isSkippedName)
}

/** Includes characters that change the text direction. */
const unshowable = /[\p{Cc}\p{Bidi_Control}]/gu

/** Returns a name for messages: control characters are shown as `?`, truncated to 100 characters. */
export function shownName(name: string): string {
  return name.replace(unshowable, '?').slice(0, 100)
}
