import { openSqliteStore } from "#events/sqlite-store.js";
import { storeContract } from "./contract.js";
import { scratch } from "./scratch.js";
import { damageFolder, REALM } from "./segment-file.js";

storeContract("sqlite", async () => {
  const folder = await scratch();
  return {
    open: () => openSqliteStore({ dataDir: folder.path, realm: REALM, ballastBytes: 0 }),
    damage: (how) => damageFolder(folder.path, how),
    dispose: () => folder.remove(),
  };
});
