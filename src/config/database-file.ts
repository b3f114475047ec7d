/** File name of the embedded catalogue database in the data directory. */
export const databaseFile = 'terrane.sqlite'
