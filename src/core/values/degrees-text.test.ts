import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseDegrees } from './degrees-text.ts'

it('reads degrees, minutes and seconds of either axis', () => {
  for (const [text, axis, angle] of [
    [`52°31'12.0"N`, 'latitude', 52.52],
    [`13°24'18"E`, 'longitude', 13.405],
    [`33°51'31"S`, 'latitude', -33.85861111111111],
    ['151° 12′ 51″ E', 'longitude', 151.21416666666667],
    ['N 52 31.2', 'latitude', 52.52],
    ["52°31,2'N", 'latitude', 52.52],
    ['W 0°7′39.9″', 'longitude', -0.12775],
    ['-33°51′31″', 'latitude', -33.85861111111111],
    ['52d31m12s', 'latitude', 52.52],
    ['52:31:12', 'latitude', 52.52],
    [`52°31'12''N`, 'latitude', 52.52],
    ['52,52°', 'latitude', 52.52],
    ['52.52 N', 'latitude', 52.52],
    ['180°W', 'longitude', -180],
    ['0°0′0″', 'latitude', 0],
  ] as const)
    assert.equal(parseDegrees(text, axis), angle, text)
})

it('takes nothing for an angle that is none, or is one of the other axis', () => {
  for (const [text, axis] of [
    ['52.52', 'latitude'],
    ['52', 'latitude'],
    ['', 'latitude'],
    [`52°31'12"E`, 'latitude'],
    [`13°24'18"N`, 'longitude'],
    [`-33°51'31"S`, 'latitude'],
    [`N52°31'N`, 'latitude'],
    [`52°60'N`, 'latitude'],
    [`52°31'60"N`, 'latitude'],
    [`91°N`, 'latitude'],
    [`181°E`, 'longitude'],
    [`52.5°31'N`, 'latitude'],
    [`52°31.5'12"N`, 'latitude'],
    ['525230N', 'latitude'],
    ['12 Main Street', 'latitude'],
    ['1 2 3 4', 'latitude'],
    [`${' '.repeat(1_000_000)}5°`, 'latitude'],
    [`5${'1'.repeat(1_000_000)}°`, 'latitude'],
  ] as const)
    assert.equal(parseDegrees(text, axis), undefined, text.slice(0, 40))
})
