import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasProgram, lastLines, run, SetupError, say } from './run.mjs'

const installer = join(dirname(fileURLToPath(import.meta.url)), 'install-debian.sh')

/** Tiers of tests; each needs its own programs and those of the tiers before it. */
const tiers = ['standard', 'extended', 'release']

/** Programs that Terrane calls. A `tier` marks programs that the tests of that tier need. */
const needs = [
  {
    name: 'GDAL',
    isThere: () => hasProgram('ogr2ogr') && hasProgram('gdalinfo'),
    packages: ['gdal-bin'],
    without: 'files of other formats than Shapefile, GeoJSON, CSV, GeoPackage and FlatGeobuf are NO_FORMAT',
  },
  {
    name: 'PROJ',
    isThere: () => hasProgram('projinfo'),
    packages: ['proj-bin'],
    without: 'coordinate systems that need PROJ cannot be looked up',
  },
  {
    name: 'PostgreSQL with PostGIS',
    isThere: hasPostgis,
    // The installer replaces this name by the packages of the newest PostgreSQL in the distribution.
    packages: ['postgis-server'],
    without: 'the tests that need a database fail',
    tier: 'standard',
  },
  {
    name: 'MariaDB',
    isThere: () => existsSync('/usr/sbin/mariadbd'),
    packages: ['mariadb-server'],
    without: 'the tests of MySQL as a source fail',
    tier: 'extended',
  },
  {
    name: 'Servers (nginx, vsftpd, OpenSSH, OpenLDAP)',
    isThere: () => ['nginx', 'vsftpd', 'sshd', 'slapd'].every((name) => existsSync(`/usr/sbin/${name}`)),
    packages: ['nginx-light', 'vsftpd', 'openssh-server', 'openssl', 'slapd'],
    without: 'the tests of remote data from real servers fail',
    tier: 'extended',
  },
  {
    name: 'libfaketime',
    isThere: () => existsSync('/usr/bin/faketime'),
    packages: ['faketime'],
    without: 'the test of a server whose clock is off fails',
    tier: 'extended',
  },
  {
    name: 'Apache',
    isThere: () => existsSync('/usr/sbin/apache2'),
    packages: ['apache2-bin'],
    without: 'the tests of its access log fail',
    tier: 'extended',
  },
  {
    name: 'MapServer with FastCGI',
    isThere: () => existsSync('/usr/lib/cgi-bin/mapserv') && ['mapserv', 'spawn-fcgi'].every(isInstalled),
    packages: ['cgi-mapserver', 'mapserver-bin', 'spawn-fcgi'],
    without: 'maps by WMS are not drawn',
  },
  {
    name: 'fcgiwrap',
    isThere: () => isInstalled('fcgiwrap'),
    packages: ['fcgiwrap'],
    without: 'the tests of monitoring other map servers fail',
    tier: 'extended',
  },
  {
    name: 'OWSLib and JSON Schema for Python',
    isThere: () =>
      ['owslib', 'jsonschema'].every((name) => existsSync(`/usr/lib/python3/dist-packages/${name}`)),
    packages: ['python3-owslib', 'python3-jsonschema'],
    without: 'the tests of OGC API Features with a client in Python fail',
    tier: 'standard',
  },
  {
    name: 'Chromium',
    isThere: () => hasProgram('chromium'),
    packages: ['chromium'],
    without: 'the tests of maps in a browser fail',
    tier: 'standard',
  },
  {
    name: 'QGIS for Python',
    isThere: () => existsSync('/usr/lib/python3/dist-packages/qgis'),
    packages: ['python3-qgis'],
    without: 'the tests of maps with QGIS fail',
    tier: 'extended',
  },
  {
    name: 'Prometheus and its node exporter',
    isThere: () => ['prometheus', 'promtool', 'prometheus-node-exporter'].every(isInstalled),
    packages: ['prometheus', 'prometheus-node-exporter'],
    without: 'the tests of monitoring other hosts and of /metrics fail',
    tier: 'standard',
  },
]

/**
 * Installs missing programs for Terrane and for a tier of tests from the distribution, if permitted;
 * otherwise reports what is missing. Throws a `SetupError` if there is no such tier.
 */
export function installPrograms(root, tier) {
  if (tier !== undefined && !tiers.includes(tier))
    throw new SetupError(`--tests is one of ${tiers.join(', ')}`)
  const missing = needs.filter((need) => isNeeded(need, tier) && !need.isThere())
  if (missing.length === 0) return
  const packages = missing.flatMap((need) => need.packages)
  const refusal = whyNot(root, packages)
  if (refusal === undefined) install(root, packages)
  for (const need of missing.filter((one) => !one.isThere())) {
    say(`${need.name} is not installed: ${need.without}.`)
  }
  if (refusal !== undefined) say(refusal)
}

function isNeeded(need, tier) {
  return need.tier === undefined || tiers.indexOf(need.tier) <= tiers.indexOf(tier)
}

function whyNot(root, packages) {
  if (isOff(process.env.TERRANE_SETUP_SYSTEM)) return 'Nothing was installed: TERRANE_SETUP_SYSTEM is off.'
  if (!hasProgram('apt-get')) return 'Install what is missing with the package tool of this system.'
  if (asRoot() === undefined) return 'As root, or with sudo that asks no password, it would be installed now.'
  if (failedBefore(root, packages)) {
    return 'Installing it failed before; delete .runtime/programs-failed to have it tried again.'
  }
  return undefined
}

/** As settings of the server may be written. */
function isOff(value = '') {
  return ['off', 'no', 'false', '0'].includes(value.trim().toLowerCase())
}

function install(root, packages) {
  const names = packages.join(', ').replace('postgis-server', 'postgresql with postgis')
  say(`Installing ${names} from the distribution (TERRANE_SETUP_SYSTEM=off leaves this out) ...`)
  const [program, ...args] = [...asRoot(), 'sh', installer, ...packages]
  const { ok, output } = run(program, args)
  if (ok) {
    rmSync(failureFile(root), { force: true })
    return
  }
  mkdirSync(join(root, '.runtime'), { recursive: true })
  writeFileSync(failureFile(root), packages.join(' '))
  say(`The distribution's packages could not be installed. apt-get said:\n${lastLines(output, 6)}`)
}

/** The words that make a command run as root; undefined where that needs a password. */
function asRoot() {
  if (process.getuid?.() === 0) return []
  return hasProgram('sudo') && run('sudo', ['-n', 'true']).ok ? ['sudo', '-n'] : undefined
}

function failureFile(root) {
  return join(root, '.runtime', 'programs-failed')
}

function failedBefore(root, packages) {
  return existsSync(failureFile(root)) && readFileSync(failureFile(root), 'utf8') === packages.join(' ')
}

/** Returns true if a program is on the path, or in a directory that only the path of root contains. */
function isInstalled(name) {
  return hasProgram(name) || existsSync(join('/usr/sbin', name))
}

function hasPostgis() {
  const versions = '/usr/lib/postgresql'
  if (!existsSync(versions)) return false
  return readdirSync(versions).some((version) => {
    const control = `/usr/share/postgresql/${version}/extension/postgis.control`
    return existsSync(join(versions, version, 'bin', 'initdb')) && existsSync(control)
  })
}
