import { extname } from 'node:path'
import { ownValue } from '../../lib/own-value.ts'
import { findArchive } from '../archive.ts'

const maxNameBytes = 200

/** Endings that media types stand for, the usual one first. */
const endingsOfType: Record<string, readonly string[]> = {
  'application/zip': ['.zip'],
  'application/x-zip-compressed': ['.zip'],
  'application/x-7z-compressed': ['.7z'],
  'application/x-tar': ['.tar'],
  'application/gzip': ['.gz'],
  'application/x-gzip': ['.gz'],
  'application/geo+json': ['.geojson', '.json'],
  'application/vnd.geo+json': ['.geojson', '.json'],
  'application/json': ['.json', '.geojson'],
  'text/csv': ['.csv'],
  'application/vnd.google-earth.kml+xml': ['.kml'],
  'application/vnd.google-earth.kmz': ['.kmz'],
  'application/gpx+xml': ['.gpx'],
  'application/gml+xml': ['.gml', '.xml'],
  'application/geopackage+sqlite3': ['.gpkg'],
  'application/flatgeobuf': ['.fgb'],
  'application/vnd.apache.parquet': ['.parquet'],
  'image/tiff': ['.tif', '.tiff'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/png': ['.png'],
}

/** A name for a file of ours: the last segment, without what a file system or a scan would trip over. */
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

/** First bytes that tell a packed file, whatever its name. */
const packedBeginnings = [
  { ending: '.zip', bytes: [0x50, 0x4b, 3, 4] },
  { ending: '.gz', bytes: [0x1f, 0x8b] },
]

/** The name with the ending that a file's first bytes tell, where it has none. */
export function withPackedEnding(name: string, head: Uint8Array): string {
  if (extname(name) !== '') return name
  const packed = packedBeginnings.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))
  return name + (packed?.ending ?? '')
}

/** The name with the ending that its media type stands for, where it has another. */
export function withEnding(name: string, contentType: string | undefined): string {
  const endings = ownValue(endingsOfType, contentType ?? '') ?? []
  const [usual] = endings
  const lower = name.toLowerCase()
  const isArchiveType = usual !== undefined && findArchive(`x${usual}`) !== undefined
  const fits = endings.some((ending) => lower.endsWith(ending)) || (isArchiveType && extname(name) !== '')
  const isKnown = Object.values(endingsOfType).flat().includes(extname(lower))
  return usual === undefined || fits || isKnown ? name : name + usual
}
