/** Tiles hold 256 hashes: level L has those of height 8·L (c2sp.org/tlog-tiles). */
export const tileWidth = 256
export const tileHeight = 8

type Tile = {
  readonly level: number | 'entries'
  readonly index: number
  /** Number of hashes or entries; 256 if it is full. */
  readonly width: number
}

/** Groups of three digits, all but the last with the prefix `x`: 1234067 is `x001/x234/067`. */
const pathOfIndex = (index: number): string => {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const groups = padded.match(/\d{3}/g) ?? []
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
}

/** The path of a tile below `tile/`. */
export const pathOfTile = ({ level, index, width }: Tile): string =>
  `${level}/${pathOfIndex(index)}${width === tileWidth ? '' : `.p/${width}`}`

const tilePath = /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The tile of a path below `tile/`; undefined unless the path is canonical. */
export const tileOfPath = (path: string): Tile | undefined => {
  const [, level = '', groups = '', width] = tilePath.exec(path) ?? []
  if (level === '') return undefined
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replace(/[x/]/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  }
  // Rejects leading zeros and partial tiles of full width: a tile has only one path.
  return pathOfTile(tile) === path && tile.width <= tileWidth ? tile : undefined
}

/** How many hashes the tile has in a tree of that size. */
export const widthOfTile = ({ level, index }: Omit<Tile, 'width'>, size: number): number => {
  const hashes = Math.floor(size / tileWidth ** (level === 'entries' ? 0 : level))
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth))
}
