import assert from 'node:assert/strict'
import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { writeMmdb } from '../../../../tests/support/mmdb-writer.ts'
import { temporaryData } from '../../../../tests/support/terrane-process.ts'
import { parseAddress } from './address.ts'
import { AddressLookup, nowhere } from './address-lookup.ts'
import { toAlpha3 } from './countries.ts'

function find(places: AddressLookup, text: string) {
  return places.find(parseAddress(text) ?? assert.fail(text))
}

const berlin = {
  country: { iso_code: 'DE' },
  subdivisions: [{ iso_code: 'BE', names: { en: 'Land Berlin' } }],
  city: { names: { en: 'Berlin', de: 'Berlin' } },
  location: { latitude: 52.524_432_1, longitude: 13.410_53 },
}
const inBerlin = {
  country: 'DEU',
  region: 'Land Berlin',
  city: 'Berlin',
  latitude: 52.52443,
  longitude: 13.41053,
}

describe('Places', () => {
  it('knows countries without any file', () => {
    const places = new AddressLookup()
    assert.deepEqual(find(places, '8.8.8.8'), { ...nowhere, country: 'USA' })
    assert.deepEqual(find(places, '::ffff:8.8.8.8'), { ...nowhere, country: 'USA' })
  })

  it('has no place for addresses that are not of the public internet', () => {
    const places = new AddressLookup()
    for (const text of ['10.1.2.3', '127.0.0.1', '192.168.1.1', 'fd00::1', '::1']) {
      assert.deepEqual(find(places, text), nowhere, text)
    }
  })

  it("reads cities, regions and positions from the operator's file, and countries of what it lacks", async (test) => {
    const file = join(temporaryData(test), 'places.mmdb')
    writeFileSync(file, writeMmdb({ '203.0.113.0/24': berlin, '2a00:1450::/32': berlin }))
    const places = new AddressLookup(file)
    await places.refresh()
    assert.deepEqual(find(places, '203.0.113.77'), inBerlin)
    assert.deepEqual(find(places, '2a00:1450::1'), inBerlin)
    assert.deepEqual(find(places, '8.8.8.8'), { ...nowhere, country: 'USA' })
  })

  it('takes nothing that a file has in a wrong shape', async (test) => {
    const file = join(temporaryData(test), 'places.mmdb')
    const wrong = {
      country: { iso_code: 'XX' },
      subdivisions: 'none',
      city: { names: { en: 7 } },
      location: { latitude: 9000, longitude: 'east' },
    }
    writeFileSync(file, writeMmdb({ '203.0.113.0/24': wrong, '198.51.100.0/24': 'text' }))
    const places = new AddressLookup(file)
    await places.refresh()
    assert.deepEqual(find(places, '203.0.113.77'), nowhere)
    assert.deepEqual(find(places, '198.51.100.1'), nowhere)
  })

  it('goes on with countries where the file is missing or broken, says so, and takes it once it is there', async (test) => {
    const file = join(temporaryData(test), 'places.mmdb')
    const places = new AddressLookup(file)
    await assert.rejects(places.refresh(), /ENOENT/)
    assert.equal(find(places, '8.8.8.8').country, 'USA')
    writeFileSync(file, 'no such format')
    await assert.rejects(places.refresh())
    const whole = writeMmdb({ '203.0.113.0/24': berlin })
    writeFileSync(file, whole)
    utimesSync(file, 1, 1)
    await places.refresh()
    assert.deepEqual(find(places, '203.0.113.77'), inBerlin)
    rmSync(file)
    await assert.rejects(places.refresh(), /ENOENT/)
    assert.deepEqual(find(places, '203.0.113.78'), inBerlin)
  })

  it('tells of damage inside a file', async (test) => {
    const file = join(temporaryData(test), 'places.mmdb')
    const whole = writeMmdb({ '203.0.113.0/24': berlin })
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, whole.indexOf('country') - 2, whole.indexOf('country') + 100)
    writeFileSync(file, damaged)
    const places = new AddressLookup(file)
    await places.refresh()
    assert.equal(find(places, '203.0.113.77').city, null)
    await assert.rejects(places.refresh(), /damaged/)
  })
})

describe('toAlpha3', () => {
  it('knows the 249 countries of ISO 3166-1, each by a code of its own', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const known = letters
      .flatMap((a) => letters.map((b) => toAlpha3(a + b)))
      .filter((code) => code !== undefined)
    assert.equal(known.length, 249)
    assert.equal(new Set(known).size, 249)
    for (const code of known) assert.match(code, /^[A-Z]{3}$/)
    assert.equal(toAlpha3('de'), 'DEU')
    assert.equal(toAlpha3('XX'), undefined)
  })
})
