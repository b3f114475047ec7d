import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { withoutUndefined } from '../../../tests/support/without-undefined.ts'
import { loadSettings, SettingsError } from './settings.ts'

function problemsOf(env: Record<string, string>): string[] {
  try {
    loadSettings(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
  }
  return []
}

describe('loadSettings', () => {
  it('gives the defaults for an empty environment', () => {
    const { server, data, logLevel, limits, retention, databaseUrl, service } = loadSettings({})
    assert.deepEqual(withoutUndefined(server), {
      host: '127.0.0.1',
      port: 8080,
      basePath: '',
      trustedProxies: [],
      corsOrigins: [],
      sharedMaxAgeSeconds: 60,
      requestSeconds: 120,
      drainSeconds: 0,
      dialect: 'contract',
      takesSldBody: false,
    })
    assert.deepEqual(withoutUndefined(data), {
      directory: resolve('data'),
      importRoots: [join(resolve('data'), 'incoming')],
      sample: true,
    })
    assert.equal(logLevel, 'info')
    assert.equal(limits.maxUploadBytes, 10 * 2 ** 30)
    assert.deepEqual(retention, {
      uploadDays: 7,
      importDays: 90,
      dryRunHours: 24,
      dryRunBytes: 10 * 2 ** 30,
      versionDays: 30,
      versionBytes: 10 * 2 ** 30,
    })
    assert.equal(databaseUrl, undefined)
    assert.deepEqual(withoutUndefined(service), {
      title: 'Terrane',
      keywords: [],
      contact: {},
      inspire: { language: 'eng' },
    })
  })

  it('takes every value that is set', () => {
    const settings = loadSettings({
      TERRANE_PORT: '0',
      TERRANE_BASE_PATH: '/geoserver/',
      TERRANE_PUBLIC_URL: 'https://maps.example.org/geoserver/',
      TERRANE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8 ::1',
      TERRANE_CORS_ORIGINS: 'https://a.example.org/',
      TERRANE_DIALECT: 'GeoServer',
      TERRANE_IMPORT_ROOTS: `/tmp:${import.meta.dirname}`,
      TERRANE_SAMPLE: 'off',
      TERRANE_MAX_UPLOAD: '1.5 GiB',
      TERRANE_SLD_BODY: 'on',
      TERRANE_SERVICE_KEYWORDS: 'roads, trees and shrubs,,',
      TERRANE_CONTACT_URL: 'https://example.org/maps',
      TERRANE_INSPIRE_METADATA: 'https://example.org/csw?id=1',
      TERRANE_INSPIRE_DOWNLOAD_METADATA: 'https://example.org/csw?id=2',
      TERRANE_SERVICE_LANGUAGE: 'ger',
      TERRANE_SERVICE_TRANSLATIONS: '{"eng": {"title": "Maps", "keywords": ["roads"]}}',
    })
    assert.equal(settings.server.port, 0)
    assert.equal(settings.server.takesSldBody, true)
    assert.deepEqual(withoutUndefined(settings.service), {
      title: 'Terrane',
      keywords: ['roads', 'trees and shrubs'],
      contact: { url: 'https://example.org/maps' },
      inspire: {
        viewRecord: 'https://example.org/csw?id=1',
        downloadRecord: 'https://example.org/csw?id=2',
        language: 'ger',
      },
      translations: { eng: { title: 'Maps', keywords: ['roads'] } },
    })
    assert.equal(settings.server.basePath, '/geoserver')
    assert.equal(settings.server.publicUrl, 'https://maps.example.org/geoserver')
    assert.deepEqual(settings.server.trustedProxies, ['127.0.0.1', '10.0.0.0/8', '::1'])
    assert.deepEqual(settings.server.corsOrigins, ['https://a.example.org'])
    assert.equal(settings.server.dialect, 'geoserver')
    assert.deepEqual(settings.data.importRoots, ['/tmp', import.meta.dirname])
    assert.equal(settings.data.sample, false)
    assert.equal(settings.limits.maxUploadBytes, 1.5 * 2 ** 30)
  })

  it('lists every problem at once, each with its variable and what was found', () => {
    const problems = problemsOf({
      TERRANE_PORT: '99999',
      TERRANE_BASE_PATH: 'no slash',
      TERRANE_PUBLIC_URL: 'ftp://x',
      TERRANE_TRUSTED_PROXIES: '10.0.0.0/99',
      TERRANE_CORS_ORIGINS: '*',
      TERRANE_DIALECT: 'french',
      TERRANE_DATABASE_URL: 'mysql://x',
      TERRANE_LOG: 'loud',
      TERRANE_SAMPLE: 'perhaps',
      TERRANE_MAX_UPLOAD: 'much',
      TERRANE_KEEP_UPLOADS: '-1',
      TERRANE_CONTACT_URL: 'javascript:alert(1)',
      TERRANE_SERVICE_LANGUAGE: 'english',
      TERRANE_SERVICE_TRANSLATIONS: '{"de": {"title": 5}}',
    })
    assert.equal(problems.length, 14)
    assert.match(problems.join('\n'), /^TERRANE_PORT .*99999/m)
  })

  it('reads where remote data may come from', () => {
    const { remote } = loadSettings({
      TERRANE_REMOTE_ALLOW: '10.0.0.0/8, fd12::/32',
      TERRANE_REMOTE_STALL: '5',
      TERRANE_S3_ENDPOINT: 'https://s3.example.org',
      TERRANE_SFTP_STRICT: 'on',
    })
    assert.deepEqual(withoutUndefined(remote), {
      allow: ['10.0.0.0/8', 'fd12::/32'],
      totalSeconds: 21_600,
      stallSeconds: 5,
      tries: 5,
      s3Endpoint: 'https://s3.example.org/',
      s3Region: 'us-east-1',
      onlyKnownHosts: true,
    })
    const wrong = { TERRANE_REMOTE_ALLOW: 'loopback', TERRANE_S3_ENDPOINT: 'https://u:p@s3.example.org' }
    assert.throws(() => loadSettings(wrong), /TERRANE_S3_ENDPOINT [^"]*\n.*TERRANE_REMOTE_ALLOW .*"loopback"/)
  })

  it('monitors by default, with cut addresses, and keeps minutes for a week, hours for a quarter, days for years', () => {
    const { monitoring } = loadSettings({})
    assert.deepEqual(withoutUndefined(monitoring), {
      isOn: true,
      privacy: 'truncated',
      mapServers: [],
      keep: {
        minuteDays: 7,
        hourDays: 90,
        dayDays: 1095,
        requestDays: 14,
        exceptionDays: 90,
        maxBytes: 20 * 2 ** 30,
      },
      maxAnswerRows: 2_000_000,
      limits: { labels: 100, visitors: 10_000, resources: 500, demandCells: 128 },
    })
  })

  it('reads networks of its own and a time zone, and refuses what is none', () => {
    const env = { TERRANE_OWN_NETWORKS: '10.0.0.0/8, 2001:db8::/32', TERRANE_ZONE: 'Europe/Berlin' }
    const { monitoring } = loadSettings(env)
    assert.deepEqual(monitoring.ownNetworks, ['10.0.0.0/8', '2001:db8::/32'])
    assert.equal(monitoring.limits.zone, 'Europe/Berlin')
    assert.throws(() => loadSettings({ TERRANE_OWN_NETWORKS: 'office' }), /TERRANE_OWN_NETWORKS .*"office"/)
    assert.throws(() => loadSettings({ TERRANE_ZONE: 'Berlin' }), /TERRANE_ZONE .*"Berlin"/)
  })

  it('reads what monitoring keeps, and whom it asks and tells', () => {
    const { monitoring } = loadSettings({
      TERRANE_MONITORING: 'off',
      TERRANE_PRIVACY: 'none',
      TERRANE_PLACES: '/srv/places.mmdb',
      TERRANE_KEEP_MINUTES: '1',
      TERRANE_KEEP_HOURS: '2',
      TERRANE_KEEP_DAYS: '0',
      TERRANE_KEEP_REQUESTS: '3',
      TERRANE_KEEP_EXCEPTIONS: '4',
      TERRANE_MAX_MONITORING: '1 GiB',
      TERRANE_MAX_LABELS: '5',
      TERRANE_MAX_VISITORS: '6',
      TERRANE_MAX_RESOURCES: '7',
      TERRANE_MAX_DEMAND_CELLS: '8',
      TERRANE_MAX_METRIC_ROWS: '30000',
      TERRANE_MAIL_FROM: 'maps@example.org',
      TERRANE_SMTP_URL: 'smtps://me:hush-hush@mail.example.org',
    })
    const { smtpUrl, ...rest } = monitoring
    assert.equal(smtpUrl?.reveal(), 'smtps://me:hush-hush@mail.example.org')
    assert.doesNotMatch(inspect(monitoring, { depth: 9 }), /hush-hush/)
    assert.deepEqual(withoutUndefined(rest), {
      isOn: false,
      privacy: 'none',
      mapServers: [],
      mailFrom: 'maps@example.org',
      placesFile: '/srv/places.mmdb',
      keep: { minuteDays: 1, hourDays: 2, dayDays: 0, requestDays: 3, exceptionDays: 4, maxBytes: 2 ** 30 },
      maxAnswerRows: 30_000,
      limits: { labels: 5, visitors: 6, resources: 7, demandCells: 8 },
    })
    const wrong = ['MONITORING', 'PRIVACY', 'KEEP_MINUTES', 'MAX_LABELS', 'SMTP_URL', 'MAX_MONITORING']
    const problems = problemsOf(Object.fromEntries(wrong.map((name) => [`TERRANE_${name}`, 'perhaps'])))
    assert.deepEqual(
      problems.map((one) => one.split(' ')[0]).sort(),
      wrong.map((name) => `TERRANE_${name}`).sort(),
    )
  })

  it('hides passwords from logs and messages', () => {
    const settings = loadSettings({
      TERRANE_ADMIN_PASSWORD: 'hush-hush',
      TERRANE_DATABASE_URL: 'postgres://me:hush-hush@db/terrane',
    })
    assert.doesNotMatch(inspect(settings, { depth: 9 }) + JSON.stringify(settings), /hush-hush/)
    assert.equal(settings.adminPassword?.reveal(), 'hush-hush')
  })

  it('does not repeat a database address in a message', () => {
    assert.doesNotMatch(problemsOf({ TERRANE_DATABASE_URL: 'mysql://me:hush@db' }).join(), /hush/)
  })

  it('reads secrets from files that `_FILE` names', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-settings-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const write = (name: string, text: string): string => {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    }
    const key = 'ab'.repeat(32)
    const { databaseUrl, adminPassword, data } = loadSettings({
      TERRANE_DATABASE_URL_FILE: write('url', 'postgres://me:secret@db/gis\n'),
      TERRANE_ADMIN_PASSWORD_FILE: write('password', 'long enough\n'),
      TERRANE_SECRET_KEY_FILE: write('key', ` ${key}\n`),
    })
    assert.equal(databaseUrl?.reveal(), 'postgres://me:secret@db/gis')
    assert.equal(adminPassword?.reveal(), 'long enough')
    assert.equal(data.secretKey?.reveal(), key)
    const missing = join(folder, 'missing')
    const problems = problemsOf({
      TERRANE_DATABASE_URL: 'postgres://db/gis',
      TERRANE_DATABASE_URL_FILE: write('other', 'postgres://other/gis'),
      TERRANE_ADMIN_PASSWORD_FILE: missing,
      TERRANE_SMTP_URL_FILE: write('empty', '\n'),
      TERRANE_SECRET_KEY: 'ab',
      TERRANE_SECRET_KEY_FLE: 'x',
    })
    assert.deepEqual(problems.toSorted(), [
      `TERRANE_ADMIN_PASSWORD_FILE names the file ${missing}, which cannot be read: there is no such file or folder`,
      'TERRANE_DATABASE_URL and TERRANE_DATABASE_URL_FILE are both set: unset one',
      'TERRANE_SECRET_KEY must be 64 hexadecimal digits, such as `openssl rand -hex 32` prints',
      'TERRANE_SECRET_KEY_FLE is not a setting: did you mean TERRANE_SECRET_KEY_FILE?',
      `TERRANE_SMTP_URL_FILE names the file ${join(folder, 'empty')}, which is empty`,
    ])
  })
})
