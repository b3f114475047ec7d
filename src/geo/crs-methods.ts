/** Returns the letters and digits of a name in lower case, to compare names of different WKT dialects. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

const methodNames: Record<string, string> = {
  tmerc:
    'Transverse Mercator|Gauss Kruger|Transverse Mercator (South Orientated)|Transverse Mercator Complex',
  lcc: 'Lambert Conformal Conic|Lambert Conformal Conic 2SP|Lambert Conic Conformal (2SP)',
  lcc1: 'Lambert Conformal Conic 1SP|Lambert Conic Conformal (1SP)',
  merc: 'Mercator|Mercator 1SP|Mercator 2SP|Mercator (variant A)|Mercator (variant B)',
  webmerc: 'Popular Visualisation Pseudo Mercator|Mercator Auxiliary Sphere',
  polar: 'Polar Stereographic|Polar Stereographic (variant A)|Polar Stereographic (variant B)',
  north: 'Stereographic North Pole',
  south: 'Stereographic South Pole',
  stere: 'Stereographic',
  sterea: 'Oblique Stereographic|Double Stereographic',
  aea: 'Albers Conic Equal Area|Albers Equal Area|Albers',
  laea: 'Lambert Azimuthal Equal Area|Lambert Azimuthal Equal Area (Spherical)',
  cass: 'Cassini Soldner|Cassini',
  omercA:
    'Hotine Oblique Mercator|Hotine Oblique Mercator (variant A)|Hotine Oblique Mercator Azimuth Natural Origin|Rectified Skew Orthomorphic Natural Origin',
  omerc:
    'Hotine Oblique Mercator Azimuth Center|Hotine Oblique Mercator (variant B)|Rectified Skew Orthomorphic Center|Oblique Mercator',
  somerc: 'Swiss Oblique Cylindrical|Swiss Oblique Mercator',
  krovak: 'Krovak|Krovak (North Orientated)',
  poly: 'Polyconic|American Polyconic',
  nzmg: 'New Zealand Map Grid',
  eqc: 'Equirectangular|Equidistant Cylindrical|Plate Carree|Equidistant Cylindrical (Spherical)',
  cea: 'Behrmann|Cylindrical Equal Area|Lambert Cylindrical Equal Area|Lambert Cylindrical Equal Area (Spherical)',
  sinu: 'Sinusoidal',
  moll: 'Mollweide',
  robin: 'Robinson',
  eqearth: 'Equal Earth',
  eck4: 'Eckert IV',
  eck6: 'Eckert VI',
  vandg: 'VanDerGrinten|Van Der Grinten I',
  bonne: 'Bonne|Bonne (South Orientated)',
  aeqd: 'Azimuthal Equidistant|Modified Azimuthal Equidistant',
  ortho: 'Orthographic',
  gnom: 'Gnomonic',
  mill: 'Miller Cylindrical',
  gall: 'Gall Stereographic',
  eqdc: 'Equidistant Conic',
}

const parameterNames: Record<string, string> = {
  lat_0:
    'latitude of origin|latitude of natural origin|latitude of false origin|latitude of center|latitude of centre|latitude of projection centre',
  lon_0:
    'central meridian|longitude of natural origin|longitude of false origin|longitude of center|longitude of centre|longitude of origin|longitude of projection centre',
  lat_1: 'standard parallel 1|latitude of 1st standard parallel|latitude of standard parallel',
  lat_2: 'standard parallel 2|latitude of 2nd standard parallel',
  k_0: 'scale factor|scale factor at natural origin|scale factor on initial line|scale factor at projection centre|scale factor on pseudo standard parallel',
  x_0: 'false easting|easting at false origin|easting at projection centre',
  y_0: 'false northing|northing at false origin|northing at projection centre',
  alpha:
    'azimuth|azimuth of initial line|azimuth at projection centre|co-latitude of cone axis|colatitude of cone axis',
  gamma: 'rectified grid angle|angle from rectified to skew grid|xy plane rotation',
}

function byPlainName(names: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(names).flatMap(([key, list]) =>
      list.split('|').map((name) => [plainName(name), key] as const),
    ),
  )
}

const methods = byPlainName(methodNames)
const parameters = byPlainName(parameterNames)

/** Returns the projection's short name, undefined if it is not supported. */
export function findMethod(name: string): string | undefined {
  return methods.get(plainName(name))
}

/** Returns the parameter's PROJ key, undefined if it has none. */
export function findParameter(name: string): string | undefined {
  return parameters.get(plainName(name))
}

/**
 * Normalizes a projection and its parameters (degrees, metres) from any dialect: `polar`, `north` and `south`
 * become `stere` with `lat_ts`, `lcc1` becomes `lcc`, a rectified oblique Mercator with both angles 90
 * becomes the Swiss `somerc`. Removes parameters with default values.
 */
export function normalizeProjection(
  method: string,
  given: Record<string, number>,
): { method: string; parameters: Record<string, number> } {
  const p: Record<string, number> = { ...given }
  let name = method
  const move = (from: string, to: string): void => {
    if (p[from] !== undefined) p[to] = p[from]
    delete p[from]
  }
  if (name === 'merc' || name === 'eqc' || name === 'cea') {
    if (p.lat_ts === undefined) move('lat_1', 'lat_ts')
  } else if (name === 'polar' || name === 'north' || name === 'south') {
    if (p.lat_1 === undefined) move('lat_0', 'lat_1')
    const standard = p.lat_1 ?? (name === 'south' ? -90 : 90)
    p.lat_0 = standard < 0 ? -90 : 90
    delete p.lat_1
    if (Math.abs(standard) < 90) p.lat_ts = standard
    name = 'stere'
  } else if (name === 'lcc1') {
    if (p.lat_1 === undefined) p.lat_1 = p.lat_0 ?? 0
    name = 'lcc'
  } else if (name === 'webmerc') {
    delete p.lat_1
  } else if (name.startsWith('omerc')) {
    move('lonc', 'lon_0')
    for (const key of ['alpha', 'gamma']) if ((p[key] ?? 0) < 0) p[key] = (p[key] as number) + 360
    if (p.gamma === undefined && p.alpha !== undefined) p.gamma = p.alpha
    if (name === 'omerc' && isNear(p.alpha, 90) && isNear(p.gamma, 90)) {
      name = 'somerc'
      delete p.alpha
      delete p.gamma
    }
  }
  if (name === 'lcc' || name === 'aea' || name === 'eqdc') orderParallels(p)
  if (name === 'krovak') for (const key of ['lat_1', 'alpha', 'gamma']) delete p[key]
  if (Math.abs(p.lat_ts ?? 0) === 90) delete p.lat_ts
  for (const [key, value] of Object.entries(p)) {
    if (value === (key === 'k_0' ? 1 : 0)) delete p[key]
  }
  return { method: name, parameters: p }
}

function isNear(value: number | undefined, expected: number): boolean {
  return value !== undefined && Math.abs(value - expected) < 1e-9
}

function orderParallels(p: Record<string, number>): void {
  const first = p.lat_1 ?? 0
  const second = p.lat_2 ?? first
  p.lat_1 = Math.max(first, second)
  p.lat_2 = Math.min(first, second)
  if (first === second) delete p.lat_2
}
