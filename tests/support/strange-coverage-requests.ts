import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CoverageServer } from './coverages.ts'
import { seededRandom } from './kills/session.ts'

/** Sends so many requests of WCS with made-up parameters, and checks that none is answered by a fault or leaves a file. */
export async function sendStrangeRequests(coverages: CoverageServer, count: number): Promise<void> {
  const random = seededRandom(11)
  const pick = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One
  const words = [
    '',
    '0',
    '-1',
    '1e308',
    'NaN',
    '*',
    '(',
    ')',
    '"',
    "'",
    '../../etc/passwd',
    '/vsicurl/http://x',
    '<VRT>',
    '\u0000',
    'é漢',
    '%',
    ',,',
    '((1,2)',
    'x'.repeat(3000),
    '-of',
    '2020-13-01',
  ]
  const names = [
    'subset',
    'subset',
    'subsettingCrs',
    'outputCrs',
    'scaleFactor',
    'scaleSize',
    'scaleAxes',
    'scaleExtent',

    'rangeSubset',
    'interpolation',
    'format',
    'mediaType',
    'geotiff:compression',
    'coverageId',
    'version',
    'request',
  ]
  for (let turn = 0; turn < count; turn += 1) {
    const query = new URLSearchParams({ service: 'WCS', version: '2.0.1', request: 'GetCoverage' })
    if (random() < 0.9) query.set('coverageId', 'default__t_Byte')
    for (let at = 0; at < 1 + random() * 3; at += 1) {
      const value =
        random() < 0.5
          ? pick(words)
          : `${pick(['E', 'Lat', 'i', pick(words)])}(${pick(words)},${pick(words)})`
      query.append(pick(names), value)
    }
    const { status, text } = await coverages.ask(query.toString())
    assert.ok(status === 200 || (status >= 400 && status < 500), `${status} ${query}: ${text.slice(0, 400)}`)
    assert.doesNotMatch(text.slice(0, 2000), /root:|\/tmp\/|\/work\//)
  }
  const left = readdirSync(join(coverages.client.server.dataDir, 'maps', 'coverages'))
  assert.deepEqual(left, [])
}
