import assert from 'node:assert/strict'
import { it } from 'node:test'
import { getAddresses } from './get-addresses.ts'

it('knows a value for every parameter of the GET routes', () => {
  const addresses = getAddresses({
    workspace: 'default',
    layer: 'default:places',
    raster: 'default:scene',
    importId: 1,
    style: 'point',
    store: 'default',
  })
  assert.ok(addresses.length > 200, String(addresses.length))
  for (const address of addresses) assert.doesNotMatch(address, /\/:/)
})
