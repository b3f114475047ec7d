import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { plainText } from '../../core/text/fold-text.ts'
import type { CountryBox } from './countries.ts'

/** A populated place of Natural Earth. */
interface City {
  longitude: number
  latitude: number
  /** Thousands of people. */
  population: number
  /** State or province. */
  region: string
  names: string[]
}

let all: City[] | undefined

function cities(): City[] {
  if (all !== undefined) return all
  const packed = readFileSync(new URL('../data/cities.bin', import.meta.url))
  const lines = brotliDecompressSync(packed).toString('utf8').split('\n')
  all = lines.map((line) => {
    const [x, y, population, region = '', names = ''] = line.split('\t')
    return {
      longitude: Number(x) / 100,
      latitude: Number(y) / 100,
      population: Number(population),
      region,
      names: names.split(';'),
    }
  })
  return all
}

/** Size of a cell of the index in degrees. */
const cell = 1
let cells: Map<number, City[]> | undefined

function cellOf(longitude: number, latitude: number): number {
  const x = Math.floor(((((longitude + 180) % 360) + 360) % 360) / cell)
  return Math.floor((latitude + 90) / cell) * 360 + x
}

function cityCells(): Map<number, City[]> {
  if (cells !== undefined) return cells
  cells = new Map()
  for (const city of cities()) {
    const key = cellOf(city.longitude, city.latitude)
    const known = cells.get(key)
    if (known === undefined) cells.set(key, [city])
    else known.push(city)
  }
  return cells
}

/** Degrees of latitude in which a city's share of the population falls to 1/e. */
const reach = 0.3
const widest = 20

/**
 * Returns thousands of people in and around a box of degrees; a city beside the box counts less with its distance. Boxes wider
 * than 20 degrees are not counted: undefined.
 */
export function peopleAround([west, south, east, north]: CountryBox): number | undefined {
  if (east - west > widest || north - south > widest) return undefined
  const index = cityCells()
  const narrow = Math.max(0.2, Math.cos((((south + north) / 2) * Math.PI) / 180))
  let people = 0
  for (let y = Math.floor(south - 1); y <= north + 1; y += cell) {
    for (let x = Math.floor(west - 1 / narrow); x <= east + 1 / narrow; x += cell) {
      for (const { longitude, latitude, population } of index.get(cellOf(x, y)) ?? []) {
        const turned = longitude + 360 * Math.round(((west + east) / 2 - longitude) / 360)
        const across = Math.max(0, west - turned, turned - east) * narrow
        const up = Math.max(0, south - latitude, latitude - north)
        people += population * Math.exp(-Math.hypot(across, up) / reach)
      }
    }
  }
  return people
}

/** Degrees around the middle of a city that belong to it, and around the cities of a state. */
const cityRadius = 0.3
const regionMargin = 0.7

let byName: Map<string, CountryBox[]> | undefined

/** Returns the boxes around the cities or states of a name. */
export function boxesOfCity(name: string): CountryBox[] {
  byName ??= namedBoxes()
  return byName.get(plainText(name)) ?? []
}

function namedBoxes(): Map<string, CountryBox[]> {
  const found = new Map<string, CountryBox[]>()
  const regions = new Map<string, CountryBox>()
  for (const { longitude, latitude, names, region } of cities()) {
    const box = around(longitude, latitude, cityRadius)
    for (const name of new Set(names.map(plainText))) {
      const known = found.get(name)
      if (known === undefined) found.set(name, [box])
      else known.push(box)
    }
    const key = plainText(region)
    if (key === '') continue
    regions.set(key, joined(regions.get(key), around(longitude, latitude, regionMargin)))
  }
  for (const [name, box] of regions) found.set(name, [...(found.get(name) ?? []), box])
  return found
}

function around(longitude: number, latitude: number, radius: number): CountryBox {
  const wide = radius / Math.max(0.2, Math.cos((latitude * Math.PI) / 180))
  return [longitude - wide, latitude - radius, longitude + wide, latitude + radius]
}

function joined(one: CountryBox | undefined, other: CountryBox): CountryBox {
  if (one === undefined) return other
  return [
    Math.min(one[0], other[0]),
    Math.min(one[1], other[1]),
    Math.max(one[2], other[2]),
    Math.max(one[3], other[3]),
  ]
}
