import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeShapefile } from '../../support/shapefile-writer.ts'

interface Country {
  type: 'Feature'
  properties: { NAME: string; LABEL_X: number; LABEL_Y: number; CONTINENT: string }
  geometry: { type: string; coordinates: number[][][] | number[][][][] }
}

const countriesFile = join(import.meta.dirname, '../../../sample/natural-earth/countries.geojson')
const radius = 6_378_137

/** Converts longitude and latitude to EPSG:3857. */
function toMercator([longitude = 0, latitude = 0]: number[]): number[] {
  const x = (longitude * Math.PI * radius) / 180
  return [x, radius * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360))]
}

function fileName(at: number, name: string): string {
  return `${String(at).padStart(3, '0')}_${name.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}`
}

/** Numbers of files to create from countries of the world, by kind; one country per file. */
export interface ManyFiles {
  /** As GeoJSON. */
  whole: number
  /** As Shapefiles of the labels' places in EPSG:3857, without `.prj`. */
  withoutCrs: number
  /** As tables with the label's place in columns. */
  tables: number
  /** As JSON that breaks off. */
  broken: number
}

/** Writes a separate file for each country; returns the number of layers. */
export function writeCountries(folder: string, expected: ManyFiles): number {
  mkdirSync(folder, { recursive: true })
  const { features } = JSON.parse(readFileSync(countriesFile, 'utf8')) as { features: Country[] }
  const kinds = Object.entries(expected).flatMap(([kind, count]) => Array.from({ length: count }, () => kind))
  for (const [at, kind] of kinds.entries()) {
    const country = features[at]
    if (country === undefined) throw new Error(`There are ${features.length} countries, not ${kinds.length}`)
    const path = join(folder, fileName(at, country.properties.NAME))
    const { NAME: name, LABEL_X: lon, LABEL_Y: lat } = country.properties
    const text = JSON.stringify({ type: 'FeatureCollection', features: [country] })
    if (kind === 'whole') writeFileSync(`${path}.geojson`, text)
    if (kind === 'broken') writeFileSync(`${path}.geojson`, text.slice(0, text.length / 2))
    if (kind === 'tables') writeFileSync(`${path}.csv`, `id,name,lat,lon\n${at},"${name}",${lat},${lon}\n`)
    if (kind === 'withoutCrs')
      writeShapefile(`${path}.shp`, {
        shapeType: 1,
        fields: [{ name: 'NAME', type: 'C', width: 60 }],
        rows: [{ shape: { parts: [toMercator([lon, lat])] }, values: [name] }],
      })
  }
  return kinds.length
}
