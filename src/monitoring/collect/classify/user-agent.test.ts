import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { takesProcessorSeconds } from '../../../../tests/support/processor-time.ts'
import { classifyUserAgent } from './user-agent.ts'

const known: [userAgent: string, family: string][] = [
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:68.0) Gecko/20100101 Firefox/68.0',
    'PC / Ubuntu / Firefox 68.0',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    'PC / Windows 10 / Chrome 120.0',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15',
    'PC / Mac OS X 10.15 / Safari 17.1',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Mobile/15E148 Safari/604.1',
    'Apple iPhone / iOS 16.5 / Safari 16.5',
  ],
  ['Mozilla/5.0 QGIS/3.22.4-Białowieża', 'Other / Other / QGIS 3.22'],
  ['Mozilla/5.0 QGIS/32815/Windows 10 Version 2009', 'PC / Windows / QGIS 3.28'],
  ['ArcGIS Pro 3.1.0 (00000000000) - ArcGISPro', 'Other / Other / ArcGIS Pro 3.1'],
  ['GDAL/3.6.2', 'Other / Other / GDAL 3.6'],
  ['FME/2023.1', 'Other / Other / FME 2023.1'],
  ['MapProxy-1.16.0', 'Other / Other / MapProxy 1.16'],
  ['OWSLib (https://geopython.github.io/OWSLib)', 'Other / Other / OWSLib'],
  ['GeoTools HTTP Client (27.2)', 'Other / Other / GeoTools 27.2'],
  ['curl/7.88.1', 'Other / Other / curl 7.88'],
  ['python-requests/2.31.0', 'Other / Other / python-requests 2.31'],
  [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Spider / Other / Googlebot 2.1',
  ],
  ['', 'Other / Other / Other'],
  ['-', 'Other / Other / Other'],
]

describe('classifyUserAgent', () => {
  for (const [userAgent, family] of known) {
    it(`calls "${userAgent.slice(0, 60)}" ${family}`, () =>
      assert.equal(classifyUserAgent(userAgent), family))
  }

  it('bounds what agents of megabytes cost and give', () =>
    takesProcessorSeconds(5, () => {
      for (const part of ['Mozilla/5.0 (', '(', 'a ', 'Version/1 ', 'ArcGIS ', 'ESRI ArcGIS ESRI ', '1.']) {
        const family = classifyUserAgent(part.repeat(2 ** 20 / part.length))
        assert.ok(family.length < 600, `${part}: ${family.length}`)
      }
    }))

  it('gives every text a family of three parts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (userAgent) => {
        assert.match(classifyUserAgent(userAgent), /^.+ \/ .+ \/ .+$/su)
      }),
    )
  })
})
