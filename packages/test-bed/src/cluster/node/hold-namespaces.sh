# Runs in new network and mount namespaces, prepares them and keeps them open.
# $1 is the bed's folder, $2 the name of the bridge, $3 its address.
set -eu
bed=$1
bridge=$2
address=$3
private=$bed/private

# Overlays in memory receive what containerd, CNI and the kubelet write outside their own folders: the host's files do
# not change.
mount -t tmpfs -o mode=755 trimtab-bed "$private"
mkdir "$private/bed"
mount --bind "$bed" "$private/bed"
for folder in /var/lib /var/log /run /usr/libexec; do
  [ -d "$folder" ] || continue
  mkdir -p "$private/upper$folder" "$private/work$folder"
  mount -t overlay trimtab-bed -o "lowerdir=$folder,upperdir=$private/upper$folder,workdir=$private/work$folder" "$folder"
  # The bed's folder must remain the folder of the host, even when the cache is below an overlay.
  case $bed/ in "$folder"/*) mount --bind "$private/bed" "$bed" ;; esac
done
mkdir -p /run/containerd /run/netns
mount -t tmpfs -o mode=711 trimtab-bed /run/containerd
# Mounts must propagate between containers and the kubelet, as on a host with systemd.
mount --make-rshared /

ip link set lo up
# The bridge must exist before any program binds to its address. Pods reach the API server and the tests through it.
ip link add "$bridge" type bridge
ip address add "$address" dev "$bridge"
ip link set "$bridge" up
echo 1 >/proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then
  echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
fi

: >"$bed/namespaces.ready"
exec sleep infinity
