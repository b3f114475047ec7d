import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { PrivacyMode } from '../../../core/config/monitoring-settings.ts'
import { isPublicAddress, parseAddress, storedAddress } from './address.ts'

function kept(text: string, privacy: PrivacyMode): string | null | undefined {
  const address = parseAddress(text)
  return address === undefined ? undefined : storedAddress(address, privacy)
}

describe('what is kept of an address', () => {
  const cases: [address: string, truncated: string, full: string][] = [
    ['203.0.113.77', '203.0.113.0', '203.0.113.77'],
    ['::ffff:203.0.113.77', '203.0.113.0', '203.0.113.77'],
    ['::FFFF:cb00:714d', '203.0.113.0', '203.0.113.77'],
    ['0:0:0:0:0:ffff:203.0.113.77', '203.0.113.0', '203.0.113.77'],
    ['2001:DB8:aa:bb:cc:dd:ee:ff', '2001:db8:aa::', '2001:db8:aa:bb:cc:dd:ee:ff'],
    ['2001:db8::1', '2001:db8::', '2001:db8::1'],
    ['2001:0db8:0000:0000:0001:0000:0000:0000', '2001:db8::', '2001:db8:0:0:1::'],
    ['::1', '::', '::1'],
    ['fe80::1%eth0', 'fe80::', 'fe80::1'],
    ['2002:cb00:714d::1', '2002:cb00:7100::', '2002:cb00:714d::1'],
    ['64:ff9b::203.0.113.77', '64:ff9b::', '64:ff9b::cb00:714d'],
  ]
  for (const [address, truncated, full] of cases) {
    it(`is ${truncated}, ${full} or nothing of ${address}`, () => {
      assert.equal(kept(address, 'truncated'), truncated)
      assert.equal(kept(address, 'full'), full)
      assert.equal(kept(address, 'none'), null)
    })
  }

  it('is nothing of what is not an address', () => {
    for (const text of ['', '-', 'unknown', '1.2.3', '1.2.3.4:80', '1.2.3.4, 5.6.7.8', 'x'.repeat(10_000)]) {
      assert.equal(kept(text, 'full'), undefined, text)
    }
  })

  it('is an address again, of which no more than the network remains', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const full = kept(text, 'full') ?? ''
        const truncated = kept(text, 'truncated') ?? ''
        assert.ok(isIP(full) > 0 && isIP(truncated) > 0, `${text}: ${full}, ${truncated}`)
        assert.equal(kept(full, 'full'), full)
        assert.equal(kept(truncated, 'truncated'), truncated)
        if (isIP(full) === 6) assert.equal(new URL(`http://[${text}]/`).hostname, `[${full}]`)
      }),
    )
  })
})

describe('isPublicAddress', () => {
  it('knows which addresses have no place', () => {
    const isPublic = (text: string): boolean => isPublicAddress(parseAddress(text) ?? assert.fail(text))
    for (const text of ['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '2a00:1450::1']) {
      assert.equal(isPublic(text), true, text)
    }
    for (const text of [
      '10.1.2.3',
      '127.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '169.254.1.1',
      '100.64.0.1',
      '::1',
      'fd00::1',
      'fe80::1',
      '::ffff:10.0.0.1',
    ]) {
      assert.equal(isPublic(text), false, text)
    }
  })
})
