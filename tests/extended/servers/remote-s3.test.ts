import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { importRemote, startFetcher, statesOf } from '../../support/remote-client.ts'
import { startS3 } from '../../support/remote-servers.ts'

const keys = { username: 'S3RVER', password: 'S3RVER' }
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

async function bucketWithData(test: TestContext): Promise<string> {
  const endpoint = await startS3(test, 'bucket')
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  const put = (key: string, fixture: string) =>
    client.send(
      new PutObjectCommand({ Bucket: 'bucket', Key: key, Body: readFileSync(`tests/fixtures/${fixture}`) }),
    )
  for (const ending of ['shp', 'shx', 'dbf', 'prj']) {
    await put(`my data/utf.${ending}`, `shapefile/utf.${ending}`)
  }
  await put('my data/deep/er/towns.geojson', 'geojson/countries.geojson')
  client.destroy()
  return endpoint
}

describe('remote data from S3', () => {
  it('are a shapefile with its sidecars, or what lies below a prefix', async (test) => {
    const endpoint = await bucketWithData(test)
    const client = await startFetcher(test, { TERRANE_S3_ENDPOINT: endpoint })
    const one = await importRemote(client, { location: 's3://bucket/my%20data/utf.shp', ...keys })
    assert.deepEqual(statesOf(one), ['READY'], String(one.message))
    for (const location of ['s3://bucket/my%20data/', 's3://bucket/', 's3://bucket']) {
      const all = await importRemote(client, { location, ...keys })
      assert.equal(statesOf(all).length, 2, String(all.message))
    }
    const none = await importRemote(client, { location: 's3://bucket/none.zip', ...keys })
    assert.match(String(none.message), /404 NoSuchKey/)
    const empty = await importRemote(client, { location: 's3://bucket/nothing/', ...keys })
    assert.match(String(empty.message), /there are no files below it/)
  })

  it('need a key that is known, and are asked for without one where none is given', async (test) => {
    const endpoint = await bucketWithData(test)
    const client = await startFetcher(test, { TERRANE_S3_ENDPOINT: endpoint })
    const location = 's3://bucket/my%20data/utf.shp'
    const wrong = await importRemote(client, { location, username: 'SOMEBODY', password: 'guess' })
    assert.match(String(wrong.message), /403 InvalidAccessKeyId/)
    assert.equal((await importRemote(client, { location })).state, 'PENDING')
  })

  it("are never fetched with keys of the server's own environment", async (test) => {
    const own = {
      AWS_ACCESS_KEY_ID: 'SOMEBODY',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    }
    Object.assign(process.env, own)
    test.after(() => {
      for (const name of Object.keys(own)) delete process.env[name]
    })
    const endpoint = await bucketWithData(test)
    const client = await startFetcher(test, { TERRANE_S3_ENDPOINT: endpoint })
    const { state, message } = await importRemote(client, { location: 's3://bucket/my%20data/utf.shp' })
    assert.equal(state, 'PENDING', String(message))
  })

  it('are gone on with where the connection broke', async (test) => {
    const endpoint = await bucketWithData(test)
    const { port } = new URL(endpoint)
    const proxy = await startCuttingProxy(test, Number(port), { cuts: 2, afterBytes: 60_000 })
    const client = await startFetcher(test, { TERRANE_S3_ENDPOINT: `http://127.0.0.1:${proxy.port}` })
    const location = 's3://bucket/my%20data/deep/er/towns.geojson'
    const { state, message } = await importRemote(client, { location, ...keys })
    assert.equal(state, 'PENDING', String(message))
    assert.ok(proxy.connections() >= 3)
  })

  it('are refused where the endpoint is a private address that is not allowed', async (test) => {
    const endpoint = await startS3(test, 'bucket')
    const client = await startFetcher(test, {
      TERRANE_S3_ENDPOINT: endpoint,
      TERRANE_REMOTE_ALLOW: '10.0.0.0/8',
    })
    const { state, message } = await importRemote(client, { location: 's3://bucket/x' })
    assert.equal(state, 'INIT_ERROR')
    assert.match(String(message), /TERRANE_REMOTE_ALLOW/)
  })
})
