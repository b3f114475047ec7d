import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { fillDisk } from '../../support/fill-disk.ts'
import { getAddresses } from '../../support/get-addresses.ts'
import type { Reply, Victim } from '../../support/hostile.ts'
import { smallDisk, startVictim } from '../../support/hostile.ts'
import { multipart, multipartType } from '../../support/importer-client.ts'

const place =
  /disk of the (?:server is full \(.*(?:data directory, TERRANE_DATA|temporary folder, TMPDIR)|data directory, TERRANE_DATA, is full)/
const foreignWords = /ENOSPC|SQLITE|no space left|database or disk is full|errcode/
const map = 'CRS=CRS:84&BBOX=-180,-90,180,90&WIDTH=64&HEIGHT=64&FORMAT=image/png'

/** Reads that need nothing written: they succeed on a full disk, the first time too. */
const reads = [
  '/health',
  '/ogc/collections/default:first/items?limit=2',
  '/ogc/collections/default:RGB_byte',
  '/rest/imports',
  '/rest/layers',
  `/wms?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=default:first&STYLES=&${map}`,
  '/tiles/default:first/0/0/0.mvt',
  '/tiles/default:first/0/0/0.png',
  '/tiles/default:first/thumbnail.png',
  '/tiles/default:first/legend.png',
  '/wfs?SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=default:first&COUNT=1',
  '/wmts?SERVICE=WMTS&REQUEST=GetCapabilities',
  '/monitoring/api/status/',
  '/monitoring/api/metric_data/request.count/?last=600&interval=60',
]

async function publishSamples(victim: Victim): Promise<number> {
  const lines = Array.from({ length: 500 }, (_, at) => `${at % 90},${at % 80},n${at}`)
  const id = await victim.newImport()
  await victim.upload(id, [{ name: 'first.csv', content: `lon,lat,name\n${lines.join('\n')}` }])
  await victim.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
  await victim.call('POST', `/${id}/tasks/0/transforms`, {
    type: 'AttributesToPointGeometryTransform',
    latField: 'lat',
    lngField: 'lon',
  })
  await victim.call('POST', `/${id}`)
  assert.equal(String((await victim.call('GET', `/${id}`)).json.import?.state), 'COMPLETE')
  copyFileSync('tests/fixtures/raster/RGB.byte.tif', join(victim.incoming, 'RGB.byte.tif'))
  const raster = { import: { data: { type: 'file', file: 'RGB.byte.tif' } } }
  const created = await victim.call('POST', '?exec=true', raster)
  assert.equal(created.status, 201, created.text)
  return id
}

/** The server may close an idle connection just as it is used again: then the request is sent once more. */
function get(victim: Victim, path: string): Promise<Reply> {
  return victim.send('GET', path).catch(() => victim.send('GET', path))
}

function assertNoFault(what: string, { status, text, headers }: Reply): void {
  assert.notEqual(status, 500, `${what}: ${text}`)
  if (status >= 400) assert.doesNotMatch(text, foreignWords, what)
  if (status !== 503 && status !== 507) return
  assert.ok(Number(headers.get('retry-after')) > 0, `${what}: no Retry-After`)
  if (text.includes('disk-full')) assert.match(text, place, what)
}

/**
 * Sends write requests: each is refused with the path of the full disk, or succeeds if it needs no disk
 * space.
 */
async function assertWrites(victim: Victim): Promise<void> {
  const json = 'application/json'
  const layer = '/rest/layers/default:first'
  const file = multipart([{ name: 'large.csv', content: `a,b\n${'1,2\n'.repeat(100_000)}` }])
  const writes: [method: string, path: string, body: string | Uint8Array, type: string][] = [
    ['POST', '/rest/imports', '{}', json],
    ['POST', '/rest/imports/0/tasks', file, multipartType],
    ['PUT', '/rest/imports/0/tasks/large.csv', file, 'text/csv'],
    ['POST', '/rest/workspaces', '{"workspace":{"name":"another"}}', json],
    ['PUT', '/rest/layers/default:first', '{"layer":{"title":"Another"}}', json],
    ['POST', `${layer}/exports`, '{"export":{"format":"MBTiles"}}', json],
    ['POST', '/rest/security/tokens', '{"token":{"name":"t"}}', json],
    ['POST', '/rest/security/session', '{"session":{"user":"admin","password":"wrong"}}', json],
    ['POST', '/monitoring/api/services/', '{"name":"s","type":"app","host":"h"}', json],
  ]
  for (const [method, path, body, type] of writes)
    assertNoFault(`${method} ${path}`, await victim.send(method, path, body, type))
}

async function startOnFullDisk(
  test: TestContext,
  end: 'kill' | 'stop',
): Promise<{ victim: Victim; makeRoom: () => void; importId: number } | undefined> {
  const disk = await smallDisk(test, 24)
  if (disk === undefined) return undefined
  const first = await startVictim(test, disk)
  const importId = await publishSamples(first)
  await first.server[end]()
  const makeRoom = fillDisk(disk)
  return { victim: await startVictim(test, disk), makeRoom, importId }
}

describe('a server that starts on a full disk', () => {
  for (const end of ['kill', 'stop'] as const) {
    it(`reads everything, names the place for what it cannot write, and writes when there is room (after a ${end})`, {
      timeout: 600_000,
    }, async (test) => {
      const started = await startOnFullDisk(test, end)
      if (started === undefined) return
      const { victim, makeRoom, importId } = started
      assert.deepEqual(
        readdirSync(victim.dataDir).filter((name) => name.startsWith('secret.key')),
        ['secret.key'],
      )
      for (const path of reads) {
        const reply = await get(victim, path)
        assert.equal(reply.status, 200, `${path}: ${reply.text.slice(0, 500)}`)
      }
      const urls = getAddresses({
        workspace: 'default',
        layer: 'default:first',
        raster: 'default:RGB_byte',
        importId,
        style: 'point',
        store: 'default',
      })
      for (const url of urls) assertNoFault(url, await get(victim, url))
      const download = await get(victim, '/ogc/collections/default:first/download?f=gpkg')
      assert.equal(download.status, 503, download.text)
      assert.match(download.text, place)
      await assertWrites(victim)
      makeRoom()
      await victim.assertLives()
      assert.match(await victim.log(), new RegExp(`The disk of ${victim.dataDir} is full`))
    })
  }

  it('does not start without a catalogue, says which file it cannot write, and leaves no part of a key', {
    timeout: 600_000,
  }, async (test) => {
    const disk = await smallDisk(test, 1)
    if (disk === undefined) return
    fillDisk(disk)
    await assert.rejects(startVictim(test, disk), (error: Error) => {
      assert.match(error.message, /secret\.key cannot be written: the disk is full/)
      assert.doesNotMatch(error.message, foreignWords)
      return true
    })
    const keys = readdirSync(disk).filter((name) => name.startsWith('secret.key'))
    assert.deepEqual(keys, [])
  })

  it('removes an empty key that an earlier process has left, and does not use one that is empty or cut', {
    timeout: 600_000,
  }, async (test) => {
    const disk = await smallDisk(test, 16)
    if (disk === undefined) return
    const key = join(disk, 'secret.key')
    writeFileSync(`${key}.4711.0123abcd`, '')
    const first = await startVictim(test, disk)
    await first.server.stop()
    assert.ok(!existsSync(`${key}.4711.0123abcd`))
    const whole = readFileSync(key, 'utf8')
    assert.match(whole, /^[0-9a-f]{64}\n$/)
    for (const [text, found] of [
      ['', 'is empty'],
      [whole.slice(0, 40), 'is damaged'],
    ] as const) {
      writeFileSync(key, text)
      await assert.rejects(startVictim(test, disk), new RegExp(`secret\\.key ${found}: it must hold 64`))
      assert.equal(readFileSync(key, 'utf8'), text)
    }
  })
})
