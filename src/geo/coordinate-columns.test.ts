import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sameValues } from '../../tests/support/without-undefined.ts'
import { findColumn, proposeColumns } from './coordinate-columns.ts'

/** Columns as `name=example`. */
function table(text: string) {
  return text.split(' ').map((one) => {
    const [name = '', example] = one.split('=')
    return example === undefined ? { name } : { name, example }
  })
}

describe('proposeColumns', () => {
  for (const [columns, x, y] of [
    ['id=1 latitude=52.5 longitude=13.4', 'longitude', 'latitude'],
    ['Lat=52.5 Lon=13.4', 'Lon', 'Lat'],
    ['LNG=-13 LAT=-52', 'LNG', 'LAT'],
    ['Breite=52.5 Länge=13.4', 'Länge', 'Breite'],
    ['Breitengrad=52.5 Laengengrad=13.4', 'Laengengrad', 'Breitengrad'],
    ['latitud=40.1 longitud=-3.7', 'longitud', 'latitud'],
    ['latitudine=44 longitudine=11', 'longitudine', 'latitudine'],
    ['szerokość=52 długość=21', 'długość', 'szerokość'],
    ['šířka=50 délka=14', 'délka', 'šířka'],
    ['широта=55 долгота=37', 'долгота', 'широта'],
    ['纬度=39.9 经度=116.4', '经度', '纬度'],
    ['緯度=35.6 経度=139.7', '経度', '緯度'],
    ['위도=37.5 경도=126.9', '경도', '위도'],
    ['stop_id=1 stop_lat=52 stop_lon=13', 'stop_lon', 'stop_lat'],
    ['decimalLatitude=1 decimalLongitude=2', 'decimalLongitude', 'decimalLatitude'],
    ['from_lat=1 to_lat=2 to_lon=3', 'to_lon', 'to_lat'],
    ['x=13.4 y=52.5', 'x', 'y'],
    ['szer_geogr=52.2 dl_geogr=21', 'dl_geogr', 'szer_geogr'],
  ] as const) {
    it(`takes ${columns}`, () => sameValues(proposeColumns(table(columns)), { x, y, isGeographic: true }))
  }

  it('takes names of several words', () => {
    const columns = [
      { name: 'خط العرض', example: '30.1' },
      { name: 'خط الطول', example: '31.2' },
    ]
    const found = { x: 'خط الطول', y: 'خط العرض', isGeographic: true }
    sameValues(proposeColumns(columns), found)
  })

  for (const columns of ['Breite=52,5 Länge=13,404', 'lat=52 lon=-13,4', 'x=392000,51 y=5820000'])
    it(`takes the commas of ${columns}`, () => assert.equal(proposeColumns(table(columns))?.hasCommas, true))

  for (const columns of [
    'Rechtswert=3456789 Hochwert=5800000',
    'x=392000 y=5820000',
    'Easting=5e5 Northing=1',
  ]) {
    it(`takes ${columns} for what is not in degrees`, () =>
      assert.equal(proposeColumns(table(columns))?.isGeographic, false))
  }

  for (const columns of [
    'id=1 name=a',
    'latitude=52.5',
    'latitude=5250000 longitude=13.4',
    'latitude=52.5 longitude=400',
    'latitude longitude',
    'latitude=north longitude=east',
    'breite=120 länge=300',
    'from_lat=1 to_lon=2',
    'lat=52,5 lon=13.4',
    'lat=152,5 lon=13,4',
    'x=393,512 y=5815000',
    'x=1,393,512 y=5815000',
    '',
  ]) {
    it(`has no proposal for "${columns}"`, () => assert.equal(proposeColumns(table(columns)), undefined))
  }
})

describe('findColumn', () => {
  it('prefers the exact name, else takes the only one that differs by case', () => {
    const names = (text: string) => text.split(' ').map((name) => ({ name }))
    assert.equal(findColumn(names('Lat lat'), 'lat'), 'lat')
    assert.equal(findColumn(names('LAT lon'), 'lat'), 'LAT')
    assert.equal(findColumn(names('LAT Lat'), 'lat'), undefined)
    assert.equal(findColumn(names('lon'), 'lat'), undefined)
  })
})
