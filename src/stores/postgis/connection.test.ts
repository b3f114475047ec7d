import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { it } from 'node:test'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { runSql, testCluster } from '../../../tests/support/postgres.ts'
import type { StoreParameters } from '../store.ts'
import { createPostgisStore } from './postgis-store.ts'

const never = new AbortController().signal

async function refusal(change: StoreParameters, url?: string): Promise<string> {
  const parameters = { ...storeParameters(url ?? (await fileDatabase())), ...change }
  const error = await (async () => {
    const store = createPostgisStore(parameters)
    try {
      await store.check(never)
    } finally {
      await store.close()
    }
  })().then(
    () => assert.fail('the store was accepted'),
    (reason) => reason,
  )
  assert.equal(error.kind, 'invalid')
  assert.equal(error.code, 'store-connection')
  const password = parameters['passwd']
  if (password) assert.ok(!JSON.stringify([error.message, error.errors]).includes(password))
  return error.message
}

it('accepts a right connection', async () => {
  const store = createPostgisStore(storeParameters(await fileDatabase()))
  await store.check(never)
  await store.close()
})

it('names a wrong password, user, database, schema, port and host', async () => {
  assert.match(await refusal({ passwd: 'wrong-secret' }), /User "terrane" or its password is wrong/)
  assert.match(await refusal({ user: 'nobody-here' }), /User "nobody-here" or its password is wrong/)
  assert.match(await refusal({ passwd: '' }), /password/)
  assert.match(await refusal({ database: 'nowhere' }), /Database "nowhere" does not exist/)
  assert.match(await refusal({ schema: 'no_schema' }), /Schema "no_schema" does not exist/)
  assert.match(await refusal({ port: '1' }), /Nothing listens on 127.0.0.1 port 1/)
  assert.match(await refusal({ host: 'no-such-host.invalid' }), /Host "no-such-host.invalid" is not known/)
})

it('names parameters that are missing or no port', async () => {
  assert.match(await refusal({ database: ' ', user: '', port: '99999' }), /"database".*"user".*"99999"/)
})

it('says that PostGIS is missing, and how to add it', async () => {
  const cluster = await testCluster()
  const name = `test_plain_${process.pid}`
  await runSql(cluster.url('postgres'), `create database ${name} template template0`)
  assert.match(await refusal({}, cluster.url(name)), /no PostGIS: run "create extension postgis"/)
  await cluster.dropDatabase(cluster.url(name))
})

it('gives up after eight seconds on a server that says nothing', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  assert.match(await refusal({ port }), /No PostgreSQL answered .* within 8 seconds/)
  silent.close()
})

it('works where PostGIS is installed in a schema of its own', async () => {
  const cluster = await testCluster()
  const name = `test_apart_${process.pid}`
  await runSql(cluster.url('postgres'), `create database ${name} template template0`)
  const url = cluster.url(name)
  await runSql(
    url,
    'create schema gis; create extension postgis schema gis; create table public.t (g gis.geometry(Point, 4326))',
  )
  const store = createPostgisStore(storeParameters(url))
  await store.check(never)
  assert.equal((await store.findTable('t'))?.schema.geometry?.crs?.srs, 'EPSG:4326')
  await store.close()
  await cluster.dropDatabase(url)
})
