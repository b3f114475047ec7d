import type { CachedResult } from './ask-cached.ts'
import type { MapServerResult } from './map-server-tiles.ts'
import type { TileResult, TilesResults } from './run-tiles.ts'

const maxMilliseconds = 10

/** Required speed-up over `ST_AsMVT` as a factor; undefined at low zooms. */
function targetRatio({ dataset, target, z }: TileResult): number | undefined {
  if (z < 12) return undefined
  if (dataset === 'polygons' && z <= 15) return target === 'GeoPackage' ? 2.5 : 1.5
  return dataset === 'points' || z === 16 ? 1 : undefined
}

function ratioOf({ ours, peer, connections }: TileResult): number {
  return connections === 1 ? peer.median / ours.median : ours.perSecond / peer.perSecond
}

function marked(text: string, isMissed: boolean): string {
  return isMissed ? `${text} (missed)` : text
}

function tileLine(result: TileResult): string {
  const { dataset, crs, target, z, connections, ours, peer } = result
  const [ratio, selected] = [ratioOf(result), targetRatio(result)]
  const isSlow = connections === 1 && z === 14 && ours.p95 > maxMilliseconds
  const cells = [
    `${dataset} ${crs} ${target} z${z}`,
    connections,
    ours.tiles,
    ours.kilobytes.toFixed(1),
    ours.median.toFixed(1),
    marked(ours.p95.toFixed(1), isSlow),
    ours.perSecond.toFixed(0),
    peer.median.toFixed(1),
    peer.p95.toFixed(1),
    peer.perSecond.toFixed(0),
    marked(ratio.toFixed(1), selected !== undefined && ratio < selected),
    selected ?? '',
    ours.failed + peer.failed,
  ]
  return `| ${cells.join(' | ')} |`
}

function cachedLine({ name, perSecond, p50, p99, processorMicroseconds, failed }: CachedResult): string {
  const worked = processorMicroseconds?.toFixed(0) ?? ''
  return `| ${name} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${worked} | ${failed} |`
}

function mapServerLine({ name, z, single, many }: MapServerResult): string {
  const cells = [
    `${name} z${z}`,
    single.median.toFixed(1),
    single.p95.toFixed(1),
    many.perSecond.toFixed(0),
    single.failed + many.failed,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The section of `bench/results.md`; empty where nothing was measured. */
export function tilesReport({ tiles, cached, mapServer }: TilesResults): string {
  const parts: string[] = []
  if (tiles.length > 0) parts.push(`${tileHead}\n${tiles.map(tileLine).join('\n')}\n`)
  if (cached.length > 0) parts.push(`${cachedHead}\n${cached.map(cachedLine).join('\n')}\n`)
  if (mapServer.length > 0) parts.push(`${mapServerHead}\n${mapServer.map(mapServerLine).join('\n')}\n`)
  return parts.length === 0 ? '' : `\n## Vector tiles\n\n${parts.join('\n')}`
}

const tileHead = `Each tile is asked for once over HTTP, by one connection and then by several, and compressed. Beside it \`ST_AsMVT\` on the same
tiles of the same table in PostGIS, by a plain server in a process of its own with as many connections to the database. The ratio is
that of the medians, with several connections that of tiles a second.

| tiles | connections | tiles | kB | ms | p95 | a second | \`ST_AsMVT\` ms | p95 | a second | ratio | wanted | failed |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|`

const cachedHead = `One tile that is kept, again and again by 32 connections, beside \`/health\` in the same run (wanted: 3,000 a second, and half of
what \`/health\` gives); and what others wait while 32 connections ask for tiles that are not there yet. Who asks is one process, which
takes 20 to 60 µs for an answer: what the server itself works stands beside it.

| request | a second | p50 ms | p99 ms | processor µs of the server | failed |
|---|---:|---:|---:|---:|---:|`

const mapServerHead = `MapServer's vector tiles of the same data, by FastCGI behind nginx with four processes.

| tiles | ms | p95 | a second by four connections | failed |
|---|---:|---:|---:|---:|`
