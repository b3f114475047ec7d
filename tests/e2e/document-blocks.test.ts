import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadSettings } from '../../src/core/config/settings.ts'
import { allBlocks, blockAt, documentNames } from '../support/document-blocks.ts'
import { freePort } from '../support/remote-servers.ts'
import { temporaryData } from '../support/terrane-process.ts'

const root = join(import.meta.dirname, '..', '..')
const documents = 'tests/extended/documents/documents.test.ts'
const checks = 'tests/extended/documents/writing-checks.test.ts'
const proxies = 'tests/extended/documents/proxies.test.ts'
const gdal = 'tests/extended/clients/gdal.test.ts'
const dryRuns = 'tests/extended/documents/dry-run-documents.test.ts'
const rejected = 'tests/extended/documents/rejected-documents.test.ts'
const layers = 'tests/extended/documents/layer-documents.test.ts'
const uploads = 'tests/extended/documents/upload-documents.test.ts'
const versions = 'tests/extended/documents/version-documents.test.ts'
const edits = 'tests/extended/documents/editing-documents.test.ts'
const published = 'tests/extended/documents/publishing-documents.test.ts'
const reports = 'tests/extended/documents/usage-report-documents.test.ts'
const browsers = 'tests/extended/clients/browser.test.ts'
const services = 'tests/extended/clients/services-in-browsers.test.ts'
const here = 'tests/e2e/document-blocks.test.ts'
const exampleServers = {
  reason:
    'The servers are examples; tests/integration/sources.test.ts and service-sources.test.ts have real ones',
}

/** The test that runs a block, or why none does. */
const covered: Record<string, string | { reason: string }> = {
  'CONTRIBUTING.md > Start > sh 1': 'tests/extended/documents/contributing.test.ts',
  'docs/install.md > npm package > sh 1': {
    reason: 'Fetches from the network; tests/release/npm-package.test.ts runs the command with a free port',
  },
  'docs/install.md > Debian package > sh 1': {
    reason:
      'Needs a running systemd; tests/release/debian-package.test.ts installs the package and starts its unit',
  },
  'docs/install.md > Debian package > ini 1': { reason: 'An example for a folder of a site' },
  'docs/install.md > Container image > sh 1': {
    reason: 'Needs a container registry; tests/release/image.test.ts runs the same root',
  },
  'docs/install.md > Git checkout > sh 1': {
    reason: 'Fetches from the network; what it starts is tested by all others',
  },
  'docs/settings.md > Settings file > toml 1': {
    reason: 'Names a secret of a site; src/core/config/settings-file.test.ts reads each kind of value',
  },
  'docs/settings.md > Settings file > sh 1': {
    reason: 'tests/e2e/config-command.test.ts runs both with a file of its own',
  },
  'docs/versioning.md > Releases > sh 1': {
    reason: 'Builds all packages twice, which takes minutes; run by hand before a release',
  },
  'README.md > First minute > sh 1': {
    reason: 'Fetches from the network; what it starts is tested by all others',
  },
  'README.md > First minute > sh 2': documents,
  'docs/getting-started.md > First start > sh 1': documents,
  'docs/getting-started.md > First start > sh 2': documents,
  'docs/getting-started.md > Import your own data > sh 1': documents,
  'docs/getting-started.md > Import your own data > sh 2': documents,
  'docs/getting-started.md > Import your own data > sh 3': documents,
  'docs/getting-started.md > Import your own data > sh 4': documents,
  'docs/getting-started.md > Import your own data > sh 5': documents,
  'docs/getting-started.md > See how it is used > sh 1': documents,
  'docs/getting-started.md > Export tiles > sh 1': documents,
  'docs/architecture.md > Data flow > text 1': { reason: 'A drawing' },
  'docs/backup.md > Backup and restore > sh 1': {
    reason: 'Paths are examples; tests/integration/backup.test.ts runs both commands',
  },
  'docs/backup.md > Restore > sh 1': {
    reason: 'Paths are examples; tests/integration/backup.test.ts runs both commands',
  },
  'docs/files.md > Settings > sh 1': {
    reason: 'Names an object store of a site; tests/extended/files has servers with these settings',
  },
  'docs/cluster.md > Example with three machines > sh 1': {
    reason: 'Needs three machines; tests/contract/node-roles.test.ts has servers of one role',
  },
  'docs/cluster.md > Example with three machines > sh 2': {
    reason: 'Needs three machines; tests/contract/node-roles.test.ts has servers of one role',
  },
  'docs/cluster.md > Example with three machines > nginx 1': {
    reason: 'Needs three machines; tests/extended/documents/proxies.test.ts tests nginx',
  },
  'docs/observability.md > Metrics for Prometheus > yaml 1': {
    reason: 'A part of a configuration; tests/extended has a Prometheus that scrapes /metrics',
  },
  'docs/observability.md > Traces and metrics by OTLP > sh 1': {
    reason: 'The collector is an example; tests/contract/telemetry/telemetry.test.ts has a receiver',
  },
  'docs/permissions.md > Example > sh 1': {
    reason: 'The users are examples; tests/contract/access/permissions.test.ts has the requests',
  },
  'docs/permissions.md > Example > sh 2': {
    reason: 'The users are examples; tests/contract/access/permissions.test.ts has the requests',
  },
  'docs/permissions.md > Limits of a workspace > sh 1': {
    reason: 'The workspace is an example; tests/contract/access/quotas.test.ts has the requests',
  },
  'docs/permissions.md > See as > sh 1': {
    reason: 'The user and the server are examples; tests/contract/access/see-as.test.ts has the requests',
  },
  'docs/permissions.md > Rules of GeoServer and GeoNode > sh 1': {
    reason: 'The files are of another system; tests/e2e/import-permissions.test.ts has some',
  },
  'docs/sign-in.md > OpenID Connect > text 1': {
    reason: 'Settings of a provider; tests/contract/access has one of the same shape',
  },
  'docs/sign-in.md > OpenID Connect > text 2': {
    reason: 'Settings of a provider; tests/contract/access has one of the same shape',
  },
  'docs/sign-in.md > LDAP > text 1': {
    reason: 'Settings of a directory; tests/extended/servers/ldap.test.ts has one',
  },
  'docs/behind-a-proxy.md > Behind nginx or Apache > sh 1': proxies,
  'docs/behind-a-proxy.md > nginx > nginx 1': proxies,
  'docs/behind-a-proxy.md > Apache > apache 1': proxies,
  'docs/downloads.md > Downloads > sh 1': layers,
  'docs/downloads.md > Coverages by range > sh 1': {
    reason: 'The layer is an example; tests/contract/ogc/coverage-ranges.test.ts reads one with GDAL',
  },
  'docs/stac.md > STAC > sh 1': {
    reason: 'The layer is an example; tests/contract/ogc/stac.test.ts has the requests',
  },
  'docs/stac.md > Clients > sh 1': {
    reason: 'The layer is an example; tests/contract/ogc/stac.test.ts reads one with GDAL',
  },
  'docs/downloads.md > Immediate and background downloads > sh 1': layers,
  'docs/filters.md > Filter Encoding > xml 1': 'tests/contract/ows/wfs-functions.test.ts',
  'docs/filters.md > Filters > sh 1': layers,
  'docs/ogc-api.md > OGC API Features > sh 1': layers,
  'docs/ogc-api.md > Formats > sh 1': layers,
  'docs/styles.md > OGC API Styles > sh 1': {
    reason: 'The document is an example; tests/contract/ogc/styles.test.ts has the requests',
  },
  'docs/ogc-tiles.md > Several collections > sh 1': {
    reason: 'The layers are examples; tests/contract/ogc/dataset-tiles.test.ts has the requests',
  },
  'docs/wfs.md > WFS > sh 1': 'tests/extended/clients/wfs.test.ts',
  'docs/wfs.md > Transactions > sh 1': 'tests/extended/clients/wfs.test.ts',
  'docs/wfs.md > In web pages > html 1': services,
  'docs/wms.md > In web pages > html 1': services,
  'docs/wms.md > In web pages > html 2': services,
  'docs/wmts.md > In web pages > html 1': services,
  'docs/wmts.md > In web pages > html 2': services,
  'docs/wms.md > WMS > sh 1': 'tests/extended/clients/wms.test.ts',
  'docs/wms.md > Service metadata > sh 1': 'tests/extended/clients/wms.test.ts',
  'docs/wms.md > Additional styles > sh 1': 'tests/extended/clients/wms.test.ts',
  'docs/wcs.md > WCS > sh 1': 'tests/extended/clients/wcs.test.ts',
  'docs/wmts.md > WMTS and TMS > sh 1': 'tests/extended/clients/wmts.test.ts',
  'docs/finding-the-crs.md > Finding the CRS > json 1': {
    reason: 'An answer; tests/contract/importer/srs-candidates.test.ts holds it',
  },
  'docs/finding-the-crs.md > A declared CRS without a code > json 1': {
    reason: 'A part of an answer; tests/contract/importer/declared-crs.test.ts holds it',
  },
  'docs/preview.md > Aliases and labels > json 1': {
    reason: 'A part of an answer; tests/contract/importer/formats.test.ts holds it',
  },
  'docs/finding-the-crs.md > Tables with coordinates in their columns > json 1': {
    reason: 'A part of an answer; tests/contract/importer/proposals.test.ts holds it',
  },
  'docs/finding-layers.md > Finding layers > sh 1': layers,
  'docs/finding-layers.md > State of the server > sh 1': layers,
  'docs/sources.md > A file on another server, every night > yaml 1': exampleServers,
  'docs/sources.md > A file on another server, every night > sh 1': exampleServers,
  'docs/sources.md > A folder that is filled by hand > yaml 1': exampleServers,
  'docs/sources.md > A service of another agency > yaml 1': exampleServers,
  'docs/sources.md > Version control > sh 1': exampleServers,
  'docs/layer-groups.md > Layer groups > sh 1': layers,
  "docs/geoserver-rest.md > GeoServer's configuration REST > sh 1": layers,
  'docs/maps.md > Addresses > sh 1': gdal,
  'docs/maps.md > Saved maps > sh 1': layers,
  'docs/maps.md > As a file > sh 1': gdal,
  'docs/maps.md > GDAL > sh 1': gdal,
  'docs/maps.md > GDAL > sh 2': gdal,
  'docs/maps.md > GDAL > xml 1': gdal,
  'docs/maps.md > Layers that are not public > sh 1': 'tests/support/map-token.ts',
  'docs/maps.md > Layers that are not public > html 1': browsers,
  'docs/maps.md > Leaflet > html 1': browsers,
  'docs/maps.md > MapLibre > html 1': browsers,
  'docs/maps.md > MapLibre > html 2': browsers,
  'docs/maps.md > MapLibre > html 3': browsers,
  'docs/maps.md > OpenLayers > html 1': browsers,
  'docs/maps.md > OpenLayers > html 2': browsers,
  'docs/maps.md > OpenLayers > html 3': browsers,
  'docs/maps.md > QGIS > python 1': 'tests/extended/clients/qgis.test.ts',
  'docs/moving-and-backup.md > Backing up > sh 1': documents,
  'docs/moving-and-backup.md > Backing up > sh 2': documents,
  'docs/moving-and-backup.md > Restoring > sh 1': documents,
  'docs/moving-and-backup.md > Restoring > sh 2': documents,
  'docs/moving-and-backup.md > Restoring > sh 3': documents,
  'docs/moving-and-backup.md > Upgrading > sh 1': { reason: 'Fetches from the network' },
  'docs/operations.md > Starting and stopping > sh 1': { reason: 'Makes a user of the system, and fetches' },
  'docs/operations.md > Starting and stopping > ini 1': here,
  'docs/operations.md > Starting and stopping > sh 2': { reason: 'Needs the log of a system under systemd' },
  'docs/operations.md > Who may read a layer > sh 1': documents,
  'docs/operations.md > Tables of a database > sh 1': documents,
  'docs/operations.md > Watch map servers > json 1': here,
  'docs/operations.md > Access logs > nginx 1': 'tests/support/map-server.ts',
  'docs/operations.md > Access logs > apache 1': 'tests/extended/servers/monitoring-map-server.test.ts',
  'docs/operations.md > Watch hosts > sh 1': documents,
  'docs/operations.md > Scraping /metrics > yaml 1': here,
  'docs/operations.md > Mail and webhooks > json 1': here,
  'docs/operations.md > Mail and webhooks > js 1': 'tests/contract/monitoring/documents.test.ts',
  'docs/operations.md > Load GeoNode dumps > sh 1': { reason: 'Runs in a GeoNode' },
  'docs/operations.md > Load GeoNode dumps > sh 2': documents,
  'docs/dry-run.md > From the command line > sh 1': dryRuns,
  'docs/dry-run.md > With the REST interface > sh 1': dryRuns,
  'docs/dry-run.md > Limits > sh 1': dryRuns,
  'docs/publishing-tables.md > Publish one table > sh 1': published,
  'docs/publishing-tables.md > Publish one table > sh 2': published,
  'docs/publishing-tables.md > Publish many > sh 1': published,
  'docs/publishing-tables.md > Rasters > sh 1': published,
  'docs/publishing-tables.md > Rasters > sh 2': published,
  'docs/publishing-tables.md > Mosaics > sh 1': published,
  'docs/rejected-rows.md > Example > sh 1': rejected,
  'docs/rejected-rows.md > Example > sh 2': rejected,
  'docs/resumable-uploads.md > Resumable uploads > sh 1': uploads,
  'docs/resumable-uploads.md > Resumable uploads > sh 2': uploads,
  'docs/resumable-uploads.md > Resumable uploads > sh 3': uploads,
  'docs/tiles-http.md > Clients that cannot send headers > text 1': { reason: 'An address' },
  'docs/editing.md > Example > sh 1': edits,
  'docs/versions.md > List versions > sh 1': versions,
  'docs/versions.md > Restore a version > sh 1': versions,
  'docs/versions.md > Compare two versions > sh 1': versions,
  'docs/upserts.md > From the command line > sh 1': dryRuns,
  'docs/upserts.md > Proposed keys > json 1': {
    reason: 'an answer, as tests/contract/importer/keys.test.ts has them',
  },
  'docs/upserts.md > With the REST interface > sh 1': dryRuns,
  'docs/usage-report.md > Usage report > sh 1': reports,
  'docs/usage-report.md > Usage report > sh 2': reports,
  'docs/usage-report.md > Monthly mail > sh 1': reports,
  'docs/alert-rules.md > Alert rules > sh 1': checks,
  'docs/alert-rules.md > Create > sh 1': checks,
  'docs/alert-rules.md > Set thresholds and receivers > sh 1': checks,
  'docs/alert-rules.md > Set thresholds and receivers > sh 2': checks,
  'docs/alert-rules.md > Set thresholds and receivers > html 1': {
    reason: 'Part of a page; its request is sh 2',
  },
  'docs/alert-rules.md > Limit the scope > sh 1': checks,
  'docs/alert-rules.md > Receivers > sh 1': checks,
  'docs/alert-rules.md > Receivers > sh 2': checks,
  'docs/alert-rules.md > Disable and delete > sh 1': checks,
}

describe('blocks of the documents', () => {
  it('are all run by a test, or have a reason why not', () => {
    const places = documentNames().flatMap((name) => allBlocks(name).map(({ place }) => place))
    assert.deepEqual(places.sort(), Object.keys(covered).sort())
    for (const [place, test] of Object.entries(covered)) {
      if (typeof test !== 'string') continue
      const [document = '', heading = ''] = place.split(' > ')
      const text = readFileSync(join(root, test), 'utf8')
      const isNamed = test === documents || test === here || test === proxies ? text.includes(heading) : true
      assert.ok(text.includes(document) && isNamed, `${test} does not run ${place}`)
    }
  })

  it('are fenced: commands that are indented alone would be overlooked', () => {
    for (const name of documentNames()) {
      const text = readFileSync(join(root, name), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
      assert.doesNotMatch(text, /\n\n {4}\S/, name)
    }
  })
})

describe('docs/operations.md', () => {
  const unit = blockAt('docs/operations.md > Starting and stopping > ini 1')

  it('has a unit that systemd takes', (t) => {
    if (!existsSync('/usr/bin/systemd-analyze')) return t.skip('systemd-analyze is not installed')
    const folder = temporaryData(t)
    const file = join(folder, 'terrane.service')
    writeFileSync(file, unit.replaceAll('/opt/terrane', root).replace('User=terrane', 'User=daemon'))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    const ours = stderr.split('\n').filter((line) => line.includes('terrane.service'))
    assert.deepEqual(ours, [], stderr)
    assert.equal(status, 0, stderr)
  })

  it('has a unit whose command serves, with the Node of the system, and stops in order', async (t) => {
    const data = join(temporaryData(t), 'data')
    mkdirSync(data)
    const valueOfLine = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
    const [program = '', ...args] = valueOfLine('ExecStart').split(' ')
    assert.equal(valueOfLine('KillMode'), 'mixed', 'only the first process is told to stop')
    const named = [...unit.matchAll(/^Environment=(\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ])
    const child = spawn(existsSync(program) ? program : process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: data,
        ...Object.fromEntries(named),
        TERRANE_DATA: data,
        TERRANE_PORT: String(await freePort()),
        TERRANE_SAMPLE: 'off',
        TERRANE_LOG: 'warn',
      },
    })
    t.after(() => child.kill('SIGKILL'))
    let output = ''
    for await (const chunk of child.stdout) {
      output += String(chunk)
      if (/^Stop it with/m.test(output)) break
    }
    assert.match(output, /^Terrane is ready at https:\/\/maps\.example\.org$/m)
    child.kill('SIGTERM')
    const code = await new Promise((resolve) => child.once('exit', resolve))
    assert.equal(code, 0)
  })

  it('has a configuration of Prometheus that promtool takes', (t) => {
    const file = join(temporaryData(t), 'prometheus.yml')
    writeFileSync(file, blockAt('docs/operations.md > Scraping /metrics > yaml 1'))
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', '--syntax-only', file], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  })

  it('has examples in JSON that are read: map servers as a setting, the body of a webhook', () => {
    const servers = blockAt('docs/operations.md > Watch map servers > json 1')
    const { monitoring } = loadSettings({ TERRANE_MAP_SERVERS: servers })
    assert.deepEqual(
      monitoring.mapServers.map(({ name }) => name),
      ['maps', 'qgis', 'geo'],
    )
    const body = JSON.parse(blockAt('docs/operations.md > Mail and webhooks > json 1')) as Record<
      string,
      unknown
    >
    assert.equal(body.event, 'alert')
  })
})
