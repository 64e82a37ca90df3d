const text = `Builds real Kubernetes for tests, brings it up and takes it down.

Usage: npm run cluster -- COMMAND [flags]

  up           bring a bed up, or start its missing components; prints 'export KUBECONFIG=…'
  down         take a bed down; only the cached binaries remain
  status       print the components of a bed; exits with 1 when the bed is not healthy
  kubeconfig   print the path of the kubeconfig
  exec         run a command inside the bed's network, with KUBECONFIG and kubectl
  build        build the binaries into the cache ('up' does this when needed)
  image        NAME FOLDER: build an image from a folder and load it (level 2)
               ARCHIVE: load the images of an archive, such as those of 'npm run image'
  packages     print the Debian packages of level 2, and of the programs that tests run
  tools        build Helm and the other tools that tests of the product run, and print their paths

Flags
  --name NAME      name of the bed; defaults to 'default'. Several beds can run at the same time
  --level 1|2      1: control plane and KWOK nodes, without root. 2: real containers, needs root on Linux.
                   Defaults to 2 if this machine supports it, otherwise 1
  --nodes N        number of KWOK nodes; defaults to 2 on level 1 and 0 on level 2
  -o json          status: print JSON
  --all            down: take down all beds
  --base IMAGE     image: base image, 'node' (default), 'busybox' or 'none'
  --at PATH        image: path of the folder in the image; defaults to /app
  --cmd WORD       image: one word of the command; repeat for each word
  --user UID       image: user that runs the command

Examples
  eval "$(npm run --silent cluster -- up)"            a cluster with real containers
  kubectl run hello --image=bed/busybox:1 -- sleep 600
  npm run cluster -- up --level 1 --nodes 50          room for thousands of simulated pods
  npm run cluster -- exec -- kubectl get nodes
  npm run cluster -- image app:1 ./folder --cmd node --cmd /app/server.js
  npm run cluster -- image dist/images/trimtab.tar
  npm run cluster -- down --all
`;

export async function help(): Promise<number> {
  process.stdout.write(text);
  return 0;
}
