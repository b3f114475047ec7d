import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { pictureSize } from './browser.ts'

const run = promisify(execFile)
const halfWorld = 20037508.342789244

/** Rasterizes a file with GDAL: black where a geometry is, by default on the world in web mercator. */
export async function rasterize(
  source: string,
  to: string,
  {
    extent = [-halfWorld, -halfWorld, halfWorld, halfWorld],
    srs = 'EPSG:3857',
    where = '1 = 1',
  }: { extent?: readonly number[]; srs?: string; where?: string } = {},
): Promise<string> {
  const shapes = `${to}.gpkg`
  for (const file of [shapes, to]) rmSync(file, { force: true })
  const size = String(pictureSize)
  const clip = srs === 'EPSG:3857' ? ['-clipsrc', '-180', '-85.06', '180', '85.06'] : []
  await run('ogr2ogr', [
    '-t_srs',
    srs,
    '-nln',
    'shapes',
    '-nlt',
    'GEOMETRY',
    ...clip,
    '-where',
    where,
    shapes,
    source,
  ])
  const burn = ['-burn', '0', '-init', '255', '-ot', 'Byte', '-ts', size, size, '-te', ...extent.map(String)]
  await run('gdal_rasterize', ['-l', 'shapes', ...burn, shapes, to])
  return to
}

/** A picture by GDAL of a raster on a part of the world in web mercator, transparent where there are no data. */
export async function warp(source: string, extent: readonly number[], to: string): Promise<string> {
  rmSync(to, { force: true })
  const size = String(pictureSize)
  const place = ['-t_srs', 'EPSG:3857', '-te', ...extent.map(String), '-ts', size, size]
  await run('gdalwarp', ['-q', ...place, '-r', 'average', '-dstalpha', source, to])
  return to
}
