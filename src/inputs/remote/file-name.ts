import { extname } from 'node:path'
import { extensionOf, extensionsOfMediaType, extensionsWithMediaType } from '../../formats/index.ts'
import { findArchive } from '../archive.ts'
import type { ArchiveKind } from '../archives/archive-kind.ts'
import { archives } from '../archives/registry.ts'

const maxNameBytes = 200

/** Returns the extensions of a media type, the usual one first. */
function endingsOfType(type: string): string[] {
  const ofFormat = extensionsOfMediaType(type).map((extension) => `.${extension}`)
  const ofArchive = archives.filter(({ mediaTypes = [] }) => mediaTypes.includes(type))
  return [...ofFormat, ...ofArchive.flatMap(({ endings }) => endings.slice(0, 1))]
}

/** True if a name has the extension of a file with a known media type. */
function hasKnownEnding(name: string): boolean {
  const isOfArchive = ({ mediaTypes, endings }: ArchiveKind): boolean =>
    mediaTypes !== undefined && endings[0] === extname(name)
  return extensionsWithMediaType.has(extensionOf(name)) || archives.some(isOfArchive)
}

/**
 * Returns a safe file name: the last segment, without characters that a file system or a scan does not allow.
 */
export function safeFileName(name: string): string {
  const last = name.split(/[/\\]/).findLast((segment) => segment !== '') ?? ''
  const clean = last
    .replace(/[\p{Cc}:*?"<>|]/gu, '_')
    .replace(/^[.\s]+/, '')
    .trim()
  if (clean === '') return 'data'
  const ending = extname(clean)
  const isShort = (text: string): boolean => Buffer.byteLength(text + ending) <= maxNameBytes
  let base = clean.slice(0, clean.length - ending.length)
  while (!isShort(base) && base !== '') base = [...base].slice(0, -1).join('')
  return base === '' ? `data${Buffer.byteLength(ending) > 20 ? '' : ending}` : base + ending
}

/** Adds the extension that the first bytes of a file indicate, if the name has none. */
export function withPackedEnding(name: string, head: Uint8Array): string {
  if (extname(name) !== '') return name
  const packed = archives.find(
    ({ beginning }) => beginning?.every((byte, index) => head[index] === byte) === true,
  )
  return name + (packed?.endings[0] ?? '')
}

/** Adds the extension of the media type, if the name has another one. */
export function withEnding(name: string, contentType: string | undefined): string {
  const endings = endingsOfType(contentType ?? '')
  const [usual] = endings
  const lower = name.toLowerCase()
  const isArchiveType = usual !== undefined && findArchive(`x${usual}`) !== undefined
  const fits = endings.some((ending) => lower.endsWith(ending)) || (isArchiveType && extname(name) !== '')
  return usual === undefined || fits || hasKnownEnding(lower) ? name : name + usual
}
