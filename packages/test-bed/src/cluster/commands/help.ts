const text = `Real Kubernetes for tests: builds it, brings it up and takes it down.

Usage: npm run cluster -- COMMAND [flags]

  up           bring a bed up, or mend what is missing of it; prints 'export KUBECONFIG=…'
  down         take it down; nothing stays but the cache of binaries
  status       what runs; -o json for scripts. Ends with 1 when the bed is not whole
  kubeconfig   print the path of the kubeconfig
  exec         run a command inside the bed's network, with KUBECONFIG and kubectl
  build        build the binaries into the cache (up does it when needed)
  image        NAME FOLDER: make an image of a folder and load it (level 2)
  packages     print the Debian packages that level 2 needs

Flags
  --name NAME      which bed, default 'default'; several run side by side
  --level 1|2      1: control plane and KWOK nodes, no root. 2: real containers, needs root on Linux.
                   Without it: 2 where this machine can, otherwise 1
  --nodes N        KWOK nodes (default 2 on level 1, none on level 2)
  -o json          status as JSON
  --all            down: all beds
  --base IMAGE     image: put the folder on 'node' (default), 'busybox' or 'none'
  --at PATH        image: where the folder goes, default /app
  --cmd WORD       image: the command, one flag for each word
  --user UID       image: the user it runs as

Examples
  eval "$(npm run --silent cluster -- up)"            a cluster with real containers
  kubectl run hello --image=bed/busybox:1 -- sleep 600
  npm run cluster -- up --level 1 --nodes 50          thousands of pods that only pretend
  npm run cluster -- exec -- kubectl get nodes
  npm run cluster -- image app:1 ./folder --cmd node --cmd /app/server.js
  npm run cluster -- down --all
`;

export async function help(): Promise<number> {
  process.stdout.write(text);
  return 0;
}
