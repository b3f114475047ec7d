import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fillDisk } from '../../support/fill-disk.ts'
import type { Reply, Victim } from '../../support/hostile.ts'
import { smallDisk, startVictim } from '../../support/hostile.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'
import { startWebServer } from '../../support/web-server.ts'

const megabyte = 2 ** 20
const diskMegabytes = 24

async function startOnSmallDisk(test: TestContext): Promise<Victim | undefined> {
  const disk = await smallDisk(test, diskMegabytes)
  return disk === undefined ? undefined : startVictim(test, disk, { TERRANE_REMOTE_ALLOW: '127.0.0.1' })
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function assertDiskFull(reply: Reply): void {
  assert.equal(reply.status, 503, reply.text)
  assert.equal(reply.json.code, 'disk-full')
  assert.match(reply.text, /disk of the server is full.*try again/)
}

describe('a full disk', () => {
  it('refuses an upload with the reason, by form and by name, and keeps nothing of it', async (test) => {
    const victim = await startOnSmallDisk(test)
    if (victim === undefined) return
    const id = await victim.newImport()
    const content = randomBytes((diskMegabytes + 8) * megabyte)
    assertDiskFull(await victim.upload(id, [{ name: 'large.csv', content }]))
    assertDiskFull(await victim.send('PUT', `/rest/imports/${id}/tasks/large.csv`, content))
    assert.deepEqual(victim.leftovers(), [])
    assert.equal(String((await victim.call('GET', `/${id}`)).json.import?.state), 'PENDING')
    await victim.assertLives()
  })

  it('ends an unpacking and a fetch with the reason, and keeps nothing of them', async (test) => {
    const victim = await startOnSmallDisk(test)
    if (victim === undefined) return
    const part = randomBytes(megabyte)
    const large = Buffer.concat(Array.from({ length: diskMegabytes + 8 }, () => part))
    const base = await startWebServer(test, (_request, reply) => reply.end(large))
    const location = `${base}/large.csv`
    const fetched = await victim.call('POST', '', { import: { data: { type: 'remote', location } } })
    assert.equal(String(fetched.json.import?.state), 'INIT_ERROR', fetched.text)
    assert.match(String(fetched.json.import?.message), /the disk is full/)
    const packed = gzipSync(Buffer.concat([part, Buffer.alloc((diskMegabytes + 8) * megabyte)]))
    writeFileSync(join(victim.incoming, 'large.csv.gz'), packed)
    const unpacked = await victim.call('POST', '', {
      import: { data: { type: 'file', file: 'large.csv.gz' } },
    })
    assert.equal(String(unpacked.json.import?.state), 'INIT_ERROR', unpacked.text)
    assert.match(String(unpacked.json.import?.message), /disk is full: "large.csv.gz" cannot be unpacked/)
    assert.deepEqual(victim.leftovers(), [])
    await victim.assertLives()
  })

  it('makes a load ERROR with the reason, leaves nothing in the target, and lets it be run again', async (test) => {
    const victim = await startOnSmallDisk(test)
    if (victim === undefined) return
    const filler = 'x'.repeat(1000)
    const lines = Array.from({ length: 5000 }, (_, at) => `${at},"${filler}"`)
    const id = await victim.newImport()
    await victim.upload(id, [{ name: 'wide.csv', content: `a,b\n${lines.join('\n')}` }])
    await victim.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
    const blocker = join(victim.dataDir, 'blocker')
    writeFileSync(blocker, Buffer.alloc(freeBytes(victim.dataDir) - 4 * megabyte))
    await victim.call('POST', `/${id}`)
    const failed = (await victim.call('GET', `/${id}/tasks/0`)).json.task
    assert.equal(String(failed?.state), 'ERROR', JSON.stringify(failed))
    assert.match(String(failed?.errorMessage), /no room|disk .*full/i)
    rmSync(blocker)
    await victim.call('POST', `/${id}`)
    assert.equal(String((await victim.call('GET', `/${id}`)).json.import?.state), 'COMPLETE')
    assert.deepEqual(victim.leftovers(), [])
  })

  it('is told as a message where only the zip of the source finds no room', async (test) => {
    const disk = await smallDisk(test, 1)
    if (disk === undefined) return
    const dataDir = temporaryData(test)
    symlinkSync(disk, join(dataDir, 'archives'))
    const victim = await startVictim(test, dataDir)
    const id = await victim.newImport({ archive: true })
    const text = randomBytes(2 * megabyte).toString('base64')
    await victim.upload(id, [{ name: 'kept.csv', content: `a,b\n1,${text}\n` }])
    await victim.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
    await victim.call('POST', `/${id}`)
    const made = (await victim.call('GET', `/${id}`)).json.import
    assert.equal(String(made?.state), 'COMPLETE', JSON.stringify(made))
    assert.match(JSON.stringify(made?.messages), /zip of the source was not written: .*the disk is full/)
    assert.deepEqual(readdirSync(disk), [])
  })

  it('makes what is written to the catalogue a 503; reading goes on, and writing once there is room', async (test) => {
    const victim = await startOnSmallDisk(test)
    if (victim === undefined) return
    await victim.assertLives()
    const id = await victim.newImport()
    const makeRoom = fillDisk(victim.dataDir)
    const post = async (): Promise<Reply> => {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const reply = await victim.call('POST', '', {})
        if (reply.status !== 201) return reply
      }
      return assert.fail('the disk did not fill')
    }
    assertDiskFull(await post())
    assertDiskFull(
      await victim.send('POST', '/rest/workspaces', '{"workspace":{"name":"w"}}', 'application/json'),
    )
    assert.equal((await victim.call('GET', `/${id}`)).status, 200)
    assert.equal((await victim.send('GET', '/ogc/collections')).status, 200)
    makeRoom()
    await victim.assertLives()
    assert.doesNotMatch(await victim.log(), /cannot rollback/)
  })

  it('keeps nobody from reading layers, the catalogue and monitoring, from the first request on', async (test) => {
    const victim = await startOnSmallDisk(test)
    if (victim === undefined) return
    const lines = Array.from({ length: 2000 }, (_, at) => `${at % 90},${at % 80},n${at}`)
    for (const name of ['first', 'second']) {
      const id = await victim.newImport()
      await victim.upload(id, [{ name: `${name}.csv`, content: `lon,lat,name\n${lines.join('\n')}` }])
      await victim.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
      await victim.call('POST', `/${id}/tasks/0/transforms`, {
        type: 'AttributesToPointGeometryTransform',
        latField: 'lat',
        lngField: 'lon',
      })
      await victim.call('POST', `/${id}`)
      assert.equal(String((await victim.call('GET', `/${id}`)).json.import?.state), 'COMPLETE')
    }
    const file = 'served.fgb'
    const fixture = join(import.meta.dirname, '../../fixtures/flatgeobuf/countries.fgb')
    writeFileSync(join(victim.incoming, file), readFileSync(fixture))
    const served = await victim.call('POST', '?exec=true', { import: { data: { type: 'file', file } } })
    assert.equal(served.status, 201, served.text)
    const read = (path: string): Promise<Reply> => victim.send('GET', path)
    assert.equal((await read('/ogc/collections/default:first/items?limit=1')).status, 200)
    // The last connection to close removes the log, so the next reader has to create one.
    const isLogged = (): boolean =>
      readdirSync(join(victim.dataDir, 'stores'), { recursive: true }).some((name) =>
        String(name).endsWith('-shm'),
      )
    await until(() => !isLogged())
    const makeRoom = fillDisk(victim.dataDir)
    for (const path of [
      '/ogc/collections/default:first/items?limit=5',
      '/ogc/collections/default:second/items?limit=5',
      '/ogc/collections/default:second/items?bbox=10,10,20,20&limit=5',
      '/ogc/collections/default:first/items/7',
      '/ogc/collections/default:served/items?limit=5',
      '/ogc/collections/default:served/items?bbox=10,10,20,20',
      '/ogc/collections',
      '/rest/imports',
      '/rest/workspaces',
      '/rest/layers',
      '/monitoring/api/metric_data/request.count/?last=600&interval=60',
      '/monitoring/api/status/',
    ]) {
      const reply = await read(path)
      assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    }
    makeRoom()
    await victim.assertLives()
  })
})
