/**
 * Builds src/geo/data/cities.bin, populated places with their population.
 * Usage: node scripts/build-cities.ts <ne_10m_populated_places_simple as GeoJSON>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

const [source] = process.argv.slice(2)
if (source === undefined) throw new Error('Usage: node scripts/build-cities.ts <GeoJSON>')
const target = new URL('../src/geo/data/cities.bin', import.meta.url)
const steps = 100

interface City {
  properties: Record<string, string | number | null>
  geometry: { coordinates: [number, number] }
}

const { features } = JSON.parse(readFileSync(source, 'utf8')) as { features: City[] }
const lines = features
  .map(({ properties, geometry }) => {
    const { name, nameascii, namealt, adm1name, pop_max: population } = properties
    const [x, y] = geometry.coordinates.map((degrees) => Math.round(degrees * steps))
    const names = [name, nameascii, ...`${namealt ?? ''}`.split('|')].map((one) => `${one ?? ''}`.trim())
    const unique = [...new Set(names.filter((one) => one !== '' && !/[\t;]/.test(one)))]
    const thousands = Math.max(1, Math.round(Number(population) / 1000))
    return [x, y, thousands, adm1name ?? '', unique.join(';')].join('\t')
  })
  .sort()
const text = Buffer.from(lines.join('\n'))
writeFileSync(target, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
console.log(`${lines.length} places, ${text.length} bytes of text`)
