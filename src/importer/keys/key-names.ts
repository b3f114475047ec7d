import { partsOf } from '../../geo/coordinate-columns.ts'

// Words in many languages that name an identifying column; without accents, letters only.
const words = new Set(
  [
    'id gid fid oid pid uid guid uuid pk key code ref reference identifier ident identity objectid objid featureid globalid',
    'number num no nr kennung kennzeichen kennziffer kennzahl schlussel schluessel nummer objektid ags aktenzeichen',
    'identifiant cle numero matricule insee identificador clave llave codigo chave identificativo chiave codice',
    'identificatie sleutel kenmerk nyckel nokkel nogle kod kode beteckning identitet identifikator tunnus tunniste koodi avain',
    'identyfikator klucz numer klic kluc cislo azonosito kulcs szam kimlik anahtar numara nomor kunci',
    'идентификатор ид ключ код номер кадастровый αναγνωριστικο κλειδι κωδικος αριθμος',
    '编号 編號 编码 代码 代碼 标识 號碼 号码 主键 序号 番号 識別子 コード キー 번호 식별자 코드 키',
  ].flatMap((line) => line.split(' ').map(plain)),
)

function plain(name: string): string {
  return partsOf(name).join('')
}

/**
 * Returns how clearly a column name denotes a key: 2 if the whole name does, 1 if one of its words does, 0
 * otherwise.
 */
export function keyLikeness(name: string): 0 | 1 | 2 {
  const parts = partsOf(name)
  if (words.has(parts.join(''))) return 2
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  return words.has(first) || words.has(last) || /[a-z](?:id|code)$/.test(last) ? 1 : 0
}
