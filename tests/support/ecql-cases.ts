/** Filters in the dialect of GeoServer, and what they are in CQL2 text, for the samples of the tests of filters. */
export const ecqlAndCql2 = [
  ["name ILIKE 'B%'", "CASEI(name) LIKE CASEI('B%')"],
  ["name NOT ILIKE '%b%'", "NOT CASEI(name) LIKE CASEI('%b%')"],
  ["name LIKE '50\\% off'", "name LIKE '50\\% off'"],
  ["name = 'O''Brien' OR name = 'C:\\temp'", "name = 'O\\'Brien'"],
  ['INTERSECTS(the_geom, POLYGON((3 2,12 2,12 9,3 9,3 2)))', 'S_INTERSECTS(geom, BBOX(3,2,12,9))'],
  ['NOT DISJOINT(geom, ENVELOPE(3,12,2,9))', 'S_INTERSECTS(geom, BBOX(3,2,12,9))'],
  ['WITHIN(geom, ENVELOPE(12,3,9,2)) AND [i > 0]', 'S_WITHIN(geom, BBOX(3,2,12,9)) AND i > 0'],
  ['CONTAINS(geom, POINT(5.5 4.5))', 'S_CONTAINS(geom, POINT(5.5 4.5))'],
  ['EQUALS(geom, POLYGON((13 1,14 1,14 2,13 2,13 1)))', 'S_EQUALS(geom, BBOX(13,1,14,2))'],
  [
    'TOUCHES(geom, POINT(5 4)) OR OVERLAPS(geom, ENVELOPE(1,2.5,1,3))',
    'S_TOUCHES(geom, POINT(5 4)) OR S_OVERLAPS(geom, BBOX(1,1,2.5,3))',
  ],
  ['CROSSES(LINESTRING(0 0,12 14), geometry)', 'S_CROSSES(LINESTRING(0 0,12 14), geom)'],
  ['BBOX(the_geom, 3, 2, 12, 9)', 'S_INTERSECTS(geom, BBOX(3,2,12,9))'],
  [
    "BBOX(the_geom, 3,2,12,9, 'EPSG:4326') AND s_disjoint(geom, POINT(5 4))",
    'S_INTERSECTS(geom, BBOX(3,2,12,9)) AND S_DISJOINT(geom, POINT(5 4))',
  ],
  [
    "BBOX(geom, 333958,222684,1335834,1006022, 'EPSG:3857') AND n < 300",
    'S_INTERSECTS(geom, BBOX(3,2,12,9)) AND n < 300',
  ],
  ['t BEFORE 2024-02-29T00:00:00Z', "T_BEFORE(t, TIMESTAMP('2024-02-29T00:00:00Z'))"],
  ['t AFTER 2024-02-29T02:00+02:00', "T_AFTER(t, TIMESTAMP('2024-02-29T00:00:00Z'))"],
  ["t TEQUALS '2024-02-29T00:00:00Z'", "t = TIMESTAMP('2024-02-29T00:00:00Z')"],
  [
    't DURING 2024-02-29T00:00:00Z/2024-02-29T12:00:00Z',
    "T_DURING(t, INTERVAL('2024-02-29T00:00:00Z','2024-02-29T12:00:00Z'))",
  ],
  [
    't DURING 2024-02-29T00:00:00/PT12H',
    "T_DURING(t, INTERVAL('2024-02-29T00:00:00Z','2024-02-29T12:00:00Z'))",
  ],
  [
    't DURING P1DT2H/2024-03-01T02:00:00Z',
    "T_DURING(t, INTERVAL('2024-02-29T00:00:00Z','2024-03-01T02:00:00Z'))",
  ],
  ['t BEFORE OR DURING 2024-02-28T22:00:00Z/P1D', "t < TIMESTAMP('2024-02-29T22:00:00Z')"],
  ['t DURING OR AFTER 2024-02-29T22:00:00Z/P1M', "t > TIMESTAMP('2024-02-29T22:00:00Z')"],
  ['t BEFORE 2024-02-29T00:00:00Z/P1D', "T_BEFORE(t, TIMESTAMP('2024-02-29T00:00:00Z'))"],
  ['d = 2024-02-29', "d = DATE('2024-02-29')"],
  ['t > 2024-02-29T00:00:00.000Z', "t > TIMESTAMP('2024-02-29T00:00:00Z')"],
  ['default:i BETWEEN -10 AND 10 AND b = TRUE', 'i BETWEEN -10 AND 10 AND b = TRUE'],
  ["name IN ('Ulm','z') AND i IS NOT NULL", "name IN ('Ulm','z') AND i IS NOT NULL"],
  ['include', 'TRUE'],
  ['EXCLUDE OR (n) = 5', 'n = 5'],
] as const

/** Filters of that dialect that are rejected, with the reason; quotes as in XML. */
export const refusedEcql = [
  ["RELATE(geom, POINT(5 4), 'T*****FF*')", /RELATE is not offered/],
  ["IN ('of_table.3') AND i > 0", /IN of ids stands alone/],
  ["BBOX(geom,1,2,3,4,'EPSG:3857') AND INTERSECTS(geom, POINT(1 2))", /has another CRS than the other/],
  ["BBOX(geom,1,2,3,4,'EPSG:3857') OR BBOX(geom,1,2,3,4,'EPSG:4326')", /name one CRS/],
  ["BBOX(geom,1,2,3,4,'EPSG:0')", /is not a known CRS/],
  ['BBOX(geom,1,2,3)', /BBOX takes a geometry, four numbers/],
  ['t DURING PT2H/P1D', /a period has a date beside its duration/],
  ['t DURING 2024-02-29', /&quot;\/&quot; was expected/],
  ['t BEFORE OR AFTER 2024-02-29', /DURING was expected/],
  ['t DURING 2024-02-30/P1D', /is not a date|outside|that is written/],
  ['t DURING 2024-02-29/P999999Y', /outside of the years/],
  ["strToLowerCase(name) = 'ulm'", /The function strToLowerCase is not offered: CASEI/],
  ["name = 'O", /the text that begins here has no end/],
  ['i § 1', /nothing of ECQL begins here/],
] as const
