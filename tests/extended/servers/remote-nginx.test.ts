import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { importRemote, startFetcher, statesOf } from '../../support/remote-client.ts'
import { fetchInto, isFailure } from '../../support/remote-fetch.ts'
import { makeCertificate, openFolder, startNginx } from '../../support/remote-servers.ts'

const fixtures = `root ${process.cwd()}/tests/fixtures;`

describe('remote data from nginx', () => {
  it('are a shapefile with its sidecars, and an archive unpacked', async (test) => {
    const client = await startFetcher(test)
    const base = `http://127.0.0.1:${await startNginx(test, fixtures)}`
    const shapefile = await importRemote(client, { location: `${base}/shapefile/coutwildrnp.shp` })
    assert.equal(shapefile.state, 'PENDING')
    assert.deepEqual(statesOf(shapefile), ['READY'])
    const files = (await client.call('GET', '/0/tasks/0/data')).json
    assert.equal(files.prj, 'coutwildrnp.prj')
    assert.deepEqual(files.other, ['coutwildrnp.dbf', 'coutwildrnp.shx'])
    const archive = await importRemote(client, { location: `${base}/archives/utf.zip` })
    assert.deepEqual(statesOf(archive), ['READY'])
    const { status, text } = await client.call('POST', '/1')
    assert.equal(status, 204, text)
    assert.equal(String((await client.call('GET', '/1')).json.import?.state), 'COMPLETE')
  })

  it('need the right user and password where it asks for them', async (test) => {
    const client = await startFetcher(test)
    const passwords = join(openFolder(test), 'htpasswd')
    const hash = execFileSync('openssl', ['passwd', '-apr1', 'pä:ss']).toString().trim()
    writeFileSync(passwords, `someone:${hash}\n`)
    const auth = `auth_basic "x"; auth_basic_user_file ${passwords};`
    const host = `127.0.0.1:${await startNginx(test, fixtures + auth)}`
    const path = 'geojson/valid.geojson'
    const right = await importRemote(client, {
      location: `http://${host}/${path}`,
      username: 'someone',
      password: 'pä:ss',
    })
    assert.equal(right.state, 'PENDING')
    const inUrl = await importRemote(client, { location: `http://someone:p%C3%A4%3Ass@${host}/${path}` })
    assert.equal(inUrl.state, 'PENDING')
    assert.equal(inUrl.data?.location, `http://${host}/${path}`)
    const wrong = await importRemote(client, {
      location: `http://${host}/${path}`,
      username: 'someone',
      password: 'guess',
    })
    assert.equal(wrong.state, 'INIT_ERROR')
    assert.match(String(wrong.message), /401 Unauthorized: the server rejects this username and password$/)
    const none = await importRemote(client, { location: `http://${host}/${path}` })
    assert.match(String(none.message), /401 Unauthorized: the server requires a username and password$/)
  })

  it('that are not there make an INIT_ERROR that says so', async (test) => {
    const client = await startFetcher(test)
    const base = `http://127.0.0.1:${await startNginx(test, fixtures)}`
    const { state, message } = await importRemote(client, { location: `${base}/none.zip?key=secret` })
    assert.equal(state, 'INIT_ERROR')
    assert.equal(message, `${base}/none.zip could not be fetched: the server responds 404 Not Found`)
  })

  it('come by https where its certificate is vouched for', async (test) => {
    const { certificate, key } = makeCertificate(openFolder(test))
    const tls = `ssl_certificate ${certificate}; ssl_certificate_key ${key};`
    const port = await startNginx(test, fixtures + tls, 'ssl')
    const location = `https://127.0.0.1:${port}/geojson/valid.geojson`
    const trusting = await startFetcher(test, { TERRANE_REMOTE_CA: certificate })
    assert.equal((await importRemote(trusting, { location })).state, 'PENDING')
    const other = await importRemote(trusting, { location: location.replace('127.0.0.1', '127.0.0.2') })
    assert.match(String(other.message), /issued for another name/)
    const strict = await startFetcher(test)
    assert.match(String((await importRemote(strict, { location })).message), /self-signed/)
  })

  it('are gone on with where the connection broke', async (test) => {
    const port = await startNginx(test, fixtures)
    const proxy = await startCuttingProxy(test, port, { cuts: 1, afterBytes: 20_000 })
    const address = `http://127.0.0.1:${proxy.port}/shapefile/ne_110m_admin_1_states_provinces_shp.dbf`
    const whole = await fetchInto(test, address.replace(String(proxy.port), String(port)))
    const { text, reported } = await fetchInto(test, address)
    assert.equal(text, whole.text)
    assert.equal(proxy.connections(), 2)
    assert.ok(
      reported.every((bytes, index) => bytes > (reported[index - 1] ?? 0)),
      'it began anew',
    )
  })

  it('follow its redirects', async (test) => {
    const port = await startNginx(
      test,
      `${fixtures} location /old/ { rewrite ^/old/(.*)$ /geojson/$1 redirect; }`,
    )
    const { names } = await fetchInto(test, `http://127.0.0.1:${port}/old/valid.geojson`)
    assert.deepEqual(names, ['valid.geojson'])
    await assert.rejects(
      fetchInto(test, `http://127.0.0.1:${port}/old/none`),
      isFailure('remote-failed', /404/),
    )
  })
})
