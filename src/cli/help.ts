import { ownValue } from '../lib/own-value.ts'

const overview = `terrane: takes spatial data in, publishes it as layers, and watches how they are used

  terrane serve             serves the REST interface until it is stopped
  terrane import PATH...    imports files and folders, or tables of a database
  terrane monitoring        tells how the server and what it watches are, configures that, loads older numbers
  terrane doctor            tells what is installed and what each missing part costs
  terrane --version

\`terrane COMMAND --help\` tells the options of a command. Settings are environment variables: see README.md.`

const details: Record<string, string> = {
  serve: `terrane serve: serves the REST interface until it is stopped

Settings are environment variables, such as TERRANE_PORT and TERRANE_DATA: see README.md. The first start imports
the sample data, unless TERRANE_SAMPLE=off.`,
  import: `terrane import PATH...: imports files and folders, each as new layers or into existing ones
terrane import --database ADDRESS: imports tables of a database, each as a layer

  -d, --database A     postgres://user:password@host:port/name[?schema=s], mysql://..., or a GeoPackage or SQLite
                       file of an import root
  -t, --table T        a table of it, as often as needed (default: all, and views that have a geometry)
  -w, --workspace W    workspace of the layers (default: the server's default workspace)
  -s, --store S        store to load into (default: served as they are, or the workspace's default store)
      --srs EPSG:n     coordinate system of data that name none
  -m, --mode MODE      create (default), replace or append
      --url URL        a running server, such as http://localhost:8080
  -u, --user NAME      its user (default: admin); the password is TERRANE_PASSWORD, or is asked for

The password of a database is better given as TERRANE_SOURCE_PASSWORD than in its address, which other users of this
machine can see. Importing from a database needs the role admin.

Without --url it takes the server that runs under the same settings, or starts one for this import. Files that the
server may not read by itself are uploaded. The exit code is 1 when anything was not imported.`,
  monitoring: `terrane monitoring [status]: tells which checks do not hold and when each service was read last
terrane monitoring load FILE: loads the JSON dump of a GeoNode monitoring database (gzip or not), once
terrane monitoring services [list]
terrane monitoring services add NAME --type T --host H
  --type T             app, mapserver, hostapp or hostmapserver
  --host H             name of a host that is there
  --log PATH           its numbers are in this access log, on the server
  --kind K             geoserver-monitor, node-exporter or geoserver-status, with
  --source ADDRESS     where the numbers are; --source-user NAME, password in TERRANE_SOURCE_PASSWORD
  --address ADDRESS    where people reach it
  --interval N         seconds between two collections (default: 60)
terrane monitoring services remove NAME: also removes what was collected of it
terrane monitoring hosts [list | add NAME ADDRESS | remove NAME]

      --json           prints what the server answers
      --url URL        a running server, such as http://localhost:8080
  -u, --user NAME      its user (default: admin); the password is TERRANE_PASSWORD, or is asked for

Without --url it takes the server that runs under the same settings, or starts one for this call. The exit code of
status is 1 when a check does not hold or something could not be collected.`,
  doctor: `terrane doctor: tells what is installed and what each missing part costs

The exit code is 1 when something is missing that Terrane cannot do without.`,
}

/** What `--help` prints, for one command or for all. */
export function helpText(command?: string): string {
  return (command === undefined ? undefined : ownValue(details, command)) ?? overview
}
