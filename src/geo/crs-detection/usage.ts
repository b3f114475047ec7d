import type { CrsRow } from '../crs-table.ts'
import type { Country } from './countries.ts'

/**
 * EPSG codes that surveys, cities and offices of a country keep data in, by its code of ISO 3166-1, the commonest first. Systems
 * that were official in former times stand last.
 */
const usedIn = `
AQ 3031|AL 6870 2462|AR 5343 5344 5345 5346 5347 22183 22185|AT 31287 31254 31255 31256 31257 31258 31259 3416|AU 28355 28356 28354 28350 7855 7856 3577 3112 3111
BA 31276 31277|BE 31370 3812 3447|BG 7801 32635 32634|BR 31983 31982 31984 31981 5880 29193 29192 29101|BY 28405|CA 3347 3978 3979 3005 3400 3401 32198 3161 2950
CH 2056 21781|CL 32719 32718 5361 5362|CN 4526 4527 4528 4529 4549 4548 4547 2437|CO 9377 3116 3115 3117 3118 3114|CR 5367 5456|CZ 5514 3045
DE 25832 25833 31467 31468 31466 31469 4647 5650|DK 25832 25833 4093|EC 32717 24877|EE 3301|EG 22992 22993|ES 25830 25831 25829 4083 23030 23031
FI 3067 2393 3879 3877 3878 3873|FR 2154 27572 3943 3944 3945 3946 3947 3948 3949 3950 2972 2975 5490 27562 27563 27561
GB 27700 29902|GL 3413 32622|GR 2100|HK 2326|HR 3765|HU 23700|IE 2157 29902 29903|IL 2039 28193|IN 32643 32644 7755 24378|IR 32639 32640|IS 3057 5325 8088
IT 32632 32633 3003 3004 25832 25833 6707 6708 7791 7792 7794 23032 23033|JM 3448|JP 6677 6674 6675 2451 2448 3100 30169|KE 21037 21036|KR 5179 5186 5174 5181 2097|LA 32648
LT 3346|LU 2169|LV 3059|MA 26191 26192|ME 6316|MK 6204|MX 6372 32614 6369|MY 3375 3376 3168|NG 26331 26332|NL 28992|NO 25833 25832 25835 32633|NZ 2193 27200
PE 32718 24892|PH 3123 32651|PL 2180 2177 2178 2176 2179 3120|PT 3763 20790 27492|PY 32721|RO 3844 31700|RS 31277 6316 8682|RU 28407 28404 28405
SA 20437 20438|SE 3006 3021 3011 3007 3008 3009 3010 3012|SG 3414|SI 3794 3912|SK 5514 8353|TH 24047 32647|TR 5254 5253 5255 5256 2320 2321|TW 3826 3828|TZ 21037 21036
UA 5564 28405|UG 21096 21095|UY 32721 5381|US 5070 2163 9311 3338 26986 2263 3310|VE 2202 2203|VN 32648 3405 3406 5897|ZA 2048 2053 2054 32734
EU 3035 3034`

const bonuses = new Map<string, Map<string, number>>()
for (const entry of usedIn.trim().split(/[|\n]/)) {
  const [country = '', ...codes] = entry.split(' ')
  bonuses.set(country, new Map(codes.map((code, at) => [`EPSG:${code}`, Math.max(1, 2 - at * 0.15)])))
}

const european = bonuses.get('EU')

/**
 * Returns how much likelier a CRS is because data of a country are usually kept in it: a logarithm, 0 where it is not listed;
 * undefined where nothing is known of the country.
 */
export function usageIn(country: Country | undefined, { srs }: CrsRow): number | undefined {
  const code = country?.names.find((name) => /^[A-Z]{2}$/.test(name)) ?? ''
  const codes = bonuses.get(code)
  const continental = european?.get(srs)
  if (continental !== undefined) return Math.max(continental / 2, codes?.get(srs) ?? 0)
  return codes === undefined ? undefined : (codes.get(srs) ?? 0)
}

const listed = new Set([...bonuses.values()].flatMap((codes) => [...codes.keys()]))

/** Returns true if data of some country are usually kept in a CRS. */
export function isListed({ srs }: CrsRow): boolean {
  return listed.has(srs)
}
